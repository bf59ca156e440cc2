import type { LineCitation } from '../../../../model/citation.ts';
import { anyOf } from '../../../text/patterns.ts';

// A row of `kubectl get pods` with all containers ready and no restart, and kube-state-metrics' counter of restarts at none;
// a container or a unit that has been up for days.
const READY_ROW = anyOf(
  '',
  /^\s*\S{1,253}\s+(\d{1,2})\/\1\s+Running\s+0\s+\d/,
  /\bUp \d{1,3} (?:days|weeks|months)\b(?! \((?:unhealthy|Paused)\b)/,
  /^\s*Active: active \(running\) since [^;\n]{1,60}; (?:\d{1,3} (?:years?|months?|weeks?|days?)|\d{1,4}d)\b/,
);
const NO_RESTART =
  /^\s*kube_pod_container_status_restarts_total(?:\{[^}\n]{0,400}\})?(?:\s+0(?:\.0)?)+\s*$|^\s*RestartCount"?: 0\b/;
// So much is in use: nvidia-smi and its queries, free, `kubectl top`, cAdvisor, the node exporter and DCGM.
const USE = anyOf(
  '',
  /\d ?MiB ?[/,] {0,3}\d{1,7} ?MiB|^\s*Mem: +\d|^\S{1,253}\s+\d{1,6}m\s+\d{1,7}[KMG]i\b/,
  /\bcontainer_memory_(?:working_set_bytes|rss|usage_bytes|cache)\b|\bnode_memory_MemAvailable_bytes\b/,
  /\bDCGM_FI_DEV_FB_USED\b|\bprocess_resident_memory_bytes\b/,
);
const ENDED = anyOf(
  'i',
  /\bexit(?:ed| ?code)?\b|\bexitcode\b/,
  /\b(?:OOMKill\w*|CrashLoopBackOff|Evicted|Unhealthy|Killing|Terminated|Killed)\b|\boom\b/,
  /\bout of memory\b|\b\d\/\d\s+(?!Running\s|Completed\s)[A-Z]\w+|\b(\d)\/(?!\1)\d\s+Running\b/,
);
const RESTARTED = /^\s*\S{1,253}\s+\d\/\d\s+Running\s+[1-9]|\brestarts_total\S{0,400}\s[^\n]{0,80}[1-9]/;
// Whose load it is that fills a pool, or waits.
const LOAD = /\b(?:preempt\w*|waiting|queue\w*|swapped|retracted)\b/i;

/** A pod that runs as it was started, beside a memory that does not rise: nothing ended, and somebody asks of its memory. */
export function readCalm(lines: readonly LineCitation[]): LineCitation | undefined {
  const calm = lines.find(({ text }) => READY_ROW.test(text) || NO_RESTART.test(text));
  if (calm === undefined || !lines.some(({ text }) => USE.test(text))) return undefined;
  const speaks = lines.some(
    ({ text }) => !isAtNone(text) && (ENDED.test(text) || RESTARTED.test(text) || LOAD.test(text)),
  );
  return speaks || rises(lines) ? undefined : calm;
}

const REFUSED = /\b(?:status|code|status_code)="(?:4xx|400|413|422)"/;
const BROKEN = /\b(?:status|code|status_code)="5(?:xx|\d\d)"/;

/** A counter of requests that were refused for what they ask, where none failed in the server and nothing was restarted. */
export function readRefusals(lines: readonly LineCitation[]): LineCitation | undefined {
  const counts = lines.filter(({ text }) => !isAtNone(text));
  if (counts.some(({ text }) => ENDED.test(text) || RESTARTED.test(text) || BROKEN.test(text))) return undefined;
  const isCalm = lines.some(({ text }) => READY_ROW.test(text) || NO_RESTART.test(text));
  return isCalm ? counts.find(({ text }) => REFUSED.test(text) && /\s[1-9][\d.e+]{0,20}\s*$/.test(text)) : undefined;
}

/** A counter that stands at none: what it counts did not come to pass. */
export function isAtNone(text: string): boolean {
  return /^\s*[a-z_][\w:]{2,100}(?:\{[^}\n]{0,400}\})?(?:\s+0(?:\.0{1,6})?)+\s*$/i.test(text);
}

const RISE = 1.1;
// An index beside a figure is no start of a rise.
const NO_RISE = 100;
const RUN = /(?<![\w.])(?:\d[\d.e+]{0,20}(?: ?[GMK]i?B?)?(?:,? {1,4}| ?(?:->|→) ?)){2,60}\d[\d.e+]{0,20}/g;

// In one line the numbers one after another, or the last of rows that are alike but for their numbers.
function rises(lines: readonly LineCitation[]): boolean {
  const rows = Map.groupBy(lines, ({ text }) => text.replaceAll(/\d[\d.e+]*/g, '0'));
  const last = [...rows.values()].map((alike) => alike.flatMap(({ text }) => numbersIn(text).slice(-1)));
  const runs = lines.flatMap(({ text }) => [...text.matchAll(RUN)].map(([run]) => numbersIn(run)));
  return [...runs, ...last].some(goesUp);
}

function numbersIn(text: string): readonly number[] {
  return [...text.matchAll(/(?<![\w.:-])\d+(?:\.\d+)?(?:e[+]?\d{1,2})?/gi)].map(([number]) => Number(number));
}

function goesUp(numbers: readonly number[]): boolean {
  return numbers.some((_, at) => {
    const [a, b, c] = numbers.slice(at, at + 3);
    return (
      a !== undefined &&
      b !== undefined &&
      c !== undefined &&
      a > 0 &&
      a < b &&
      b < c &&
      c >= a * RISE &&
      c < a * NO_RISE
    );
  });
}
