import { anyOf } from '../../../text/patterns.ts';
import type { Evidence } from '../../evidence.ts';
import type { Life } from '../../life/time-of-life.ts';
import type { Told } from '../told/account.ts';
import { OTHER_REASON } from '../told/ending.ts';

/** That a process ended on an error of its own, by what a runtime prints; and when in its life, where that shows. */
export type Failing = {
  readonly from: Told;
  readonly life: Life | undefined;
  /** It waits to be started again: what is on the card is not its own. */
  readonly waits: boolean;
};

// kubectl (get, describe, -o yaml), the kubelet's events, kube-state-metrics, docker ps, systemd, sacct.
const WAITS = /\bCrashLoopBackOff\b|\bBack-off restarting failed container\b|\bRestarting \(1\)|\bauto-restart\b/;
const ENDED = anyOf(
  'i',
  /\bexit ?code\b["':= ]{1,24}1\b(?![\d.])|\bExited \(1\)|\bstatus=1\/FAILURE|\b\d\/\d\s+Error\b/,
  /\bFAILED\s+1:0\b|_last_terminated_exitcode\b(?:\{[^}\n]*\})?\s+1\s*$/,
  /_last_terminated_reason\b(?:\{[^}\n]*\breason="Error"[^}\n]*\})\s+1\b/,
  /\breason["']?:\s{0,24}["']?Error\b|request_failure\{err="generation"\} [1-9]/,
);
// Signals, codes with a meaning of their own, and what else ends a process or a card.
const OTHERWISE = anyOf(
  'i',
  /\bOOMKilled\b(?!["']?\s?[:=]?\s?"?false)|\boom-kill\b|\bOUT_OF_ME|\bEvicted\b/,
  /\bexit ?code\b["':= ]{1,24}(?:[2-9]|\d{2,3})\b|\b(?:Exited|Restarting) \((?:[2-9]|\d{2,3})\)/,
  /_exitcode\b(?:\{[^}\n]*\})?\s+(?:[2-9]|\d{2,3})\b|\bXid\b|\bXID_ERRORS\b|\bECC\b|\bImagePull/,
  /\bErrImage|\bFailedMount\b|\bNo devices were found\b|\bDriver\/library version mismatch\b|\bthrottl/,
  /\bunrecognized arguments\b/,
);

/** How the process ended by what tools print; undefined where nothing says so, or where another reason stands beside. */
export function readFailing(evidence: Evidence, rows: readonly Told[]): Failing | undefined {
  if (endsOtherwise(rows)) return undefined;
  const waits = rows.find(({ text }) => WAITS.test(text));
  const from = waits ?? rows.find(({ text }) => ENDED.test(text));
  return from && { from, life: lifeIn(evidence, rows), waits: waits !== undefined };
}

/** Whether another reason is told: a signal, a probe, a card at fault, an image that is not there. */
export function endsOtherwise(rows: readonly Told[]): boolean {
  return rows.some(({ text }) => OTHERWISE.test(text) || OTHER_REASON.test(text));
}

// No load of weights and no capture that ends well takes half an hour in silence, and few engines fail in their first minutes
// of service: both are guesses.
const YOUNG_S = 300;
const OLD_S = 1800;

function lifeIn({ death }: Evidence, rows: readonly Told[]): Life | undefined {
  const uptime = death.kind === 'death' ? death.death.uptime : undefined;
  const seconds = uptime?.kind === 'known' ? uptime.value : ageIn(rows);
  if (seconds !== undefined && seconds <= YOUNG_S) return 'starting';
  if (seconds !== undefined && seconds >= OLD_S) return 'serving';
  if (rows.some(({ text }) => AT_WORK.test(text))) return 'serving';
  return rows.some(({ text }) => NEVER_READY.test(text)) ? 'starting' : undefined;
}

/** A gauge of requests that are served, of each engine; a count of the failed ones. */
export const AT_WORK = anyOf(
  '',
  /(?:num_requests_running|num_running_reqs|batch_current_size|requests_processing)\b[^\n]*?[\s:][1-9]\d{0,4}(?:\.0)?\s*$/,
  /request_failure\{err="generation"\} [1-9]|iteration_tokens_total_bucket\b|\bstatus="5xx"\} [1-9]/,
);
const NEVER_READY =
  /kube_pod_status_ready_time\b[^\n]*\(none\)|kube_pod_container_status_ready\b[^\n]* 0$|\bback-off\b[^\n]*\(x\d+ over \d{1,2}m|^\S+\s+0\/\d\s+(?:Error|CrashLoopBackOff)\b/i;

// `NAME READY STATUS RESTARTS (last) AGE`: the age of the pod, shared by its lives; what sacct prints of a step; CPU time of a
// unit of systemd.
const OF_POD = /\b0\/\d\s+(?:CrashLoopBackOff|Error)\s+(\d{1,4})(?:\s+\([^)]*\))?\s+((?:\d{1,3}[dhms]){1,3})\s*$/;
const OF_JOB = /\bFAILED\s+1:0\s+(?:(\d{1,3})-)?(\d\d):(\d\d):(\d\d)\b/;
const OF_UNIT = /^\s*CPU:\s+(\d{1,4})(?:\.\d{1,3})?s\s*$/;
const UNIT_S: Readonly<Record<string, number>> = { d: 86_400, h: 3600, m: 60, s: 1 };
const MOST_LIVES = 60;

function ageIn(rows: readonly Told[]): number | undefined {
  for (const { text } of rows) {
    const pod = OF_POD.exec(text);
    const age = secondsOf(pod?.[2] ?? '') / (Math.min(Number(pod?.[1] ?? 0), MOST_LIVES) + 1);
    // Where a pod was restarted after days its age says nothing of its lives.
    if (pod !== null && age <= YOUNG_S) return age;
    const job = OF_JOB.exec(text);
    if (job !== null) {
      const [, days = '0', hours, minutes, seconds] = job;
      return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
    }
    const unit = OF_UNIT.exec(text)?.[1];
    if (unit !== undefined) return Number(unit);
  }
  return undefined;
}

function secondsOf(age: string): number {
  return [...age.matchAll(/(\d{1,3})([dhms])/g)].reduce(
    (sum, [, n, unit = 's']) => sum + Number(n) * (UNIT_S[unit] ?? 1),
    0,
  );
}
