import type { Citation } from '../../model/citation.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { ContainerDeath } from '../../read/cluster/death.ts';
import { metricValue } from '../../read/metrics/metrics-text.ts';
import { known, type Reading } from '../../read/reading.ts';
import { CLOCK_SKEW_MS, isOfOtherZone } from '../../read/text/when.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { hasFailedAgain } from '../evidence/kill-or-own-error.ts';
import type { Life } from '../evidence/line-cause.ts';
import { killReports } from '../evidence/process-kill.ts';
import { isSameReport, type Weighed } from '../evidence/weigh.ts';
import { runOfLog } from '../log/run-of-log.ts';

// Servers that start a runner for each model that is asked for: the age of the server is not the runner's.
const BY_READER: ReadonlySet<string> = new Set(['ollama', 'localai']);
const LOCALAI = /\blocal-?ai\b/i;

/** Whether it is LocalAI, by its name or that of its image: its log is that of the engines that it runs. */
export function isLocalAi({ program, incident }: Pick<Evidence, 'program' | 'incident'>): boolean {
  return [incident?.engine, program.image?.value].some((name) => name != null && LOCALAI.test(name));
}

/** Whether the server loads models when they are asked for. */
export function loadsOnDemand(evidence: Pick<Evidence, 'engine' | 'program' | 'incident'>): boolean {
  return BY_READER.has(evidence.engine.engine) || isLocalAi(evidence);
}

/** What llama.cpp says of a load that failed, apart from the line that decides. */
export function failedLoad({ weighing }: Pick<Evidence, 'weighing'>): Weighed | undefined {
  const { decisive } = weighing;
  return weighing.all.find(
    (one) => hasRole(one.signature, 'load-failed') && decisive !== undefined && isSameReport(one, decisive),
  );
}

/** Whether a line, a status or the kernel proves what failed: then a guess at the time of life may not date it. */
export function isProved(evidence: Evidence): boolean {
  const { oomKilled, evicted } = evidence.kubernetes;
  const byStatus =
    (oomKilled.kind === 'known' && oomKilled.value) || (evicted.kind === 'known' && evicted.value !== 'no');
  const byLine = evidence.weighing.decisive !== undefined || killReports(evidence).length > 0;
  return byLine || byStatus || evidence.kernel?.victim !== undefined;
}

/**
 * By the engine's own count of requests in its metrics: they are of one that has come up, and one that starts has none.
 * They may be of the next life, and date no proved failure.
 */
export function fromRunningRequests(evidence: Evidence): Reading<Life> | undefined {
  if (isProved(evidence)) return undefined;
  const { metrics } = evidence;
  const running = metrics && metricValue(metrics, 'requests.running');
  return running !== undefined && running.value > 0 ? known('serving', running.from) : undefined;
}

// Charts with a startup probe give a start two hours at the most, downloads and compilation included (NVIDIA Dynamo,
// docs/kubernetes/operations/health-probes: 720 times 10 s; Rebellions' chart: 240 times 30 s): twice that is none.
const LONGER_THAN_A_START_MS = 4 * 3_600_000;

/**
 * By a life that is far longer than any start. The first part of a log, bars or a quiet log level show no more than the
 * start, however long the engine served: where the log is silent for all that time, its last step is not what it did last.
 */
export function fromLongLife(evidence: Evidence): Reading<Life> | undefined {
  const { death, kubernetes } = evidence;
  if (death.kind === 'none' || death.isOpen || loadsOnDemand(evidence) || hasFailedAgain(evidence)) return undefined;
  const { uptime } = death.death;
  const neverReady = kubernetes.readiness.kind === 'known' && kubernetes.readiness.value === 'before-ready';
  if (uptime.kind === 'unknown' || neverReady) return undefined;
  const silent = silenceBefore(evidence, uptime.value * 1000);
  return silent !== undefined && silent >= LONGER_THAN_A_START_MS ? known('serving', ...uptime.from) : undefined;
}

/** From the last line with a time to the death; the whole life where no line has one, undefined where the clocks do not fit. */
function silenceBefore({ death, kernel, log: { main } }: Evidence, lived: number): number | undefined {
  if (death.kind === 'none' || death.death.at.kind === 'unknown' || main === undefined) return lived;
  const { instance, moment } = runOfLog({ death, kernel }, main);
  // The log of the run after it tells nothing of this one.
  if (instance === 1 && death.death.place === 'lastState') return lived;
  const began = death.death.at.value - lived;
  const [first, last] = [moment(1).to, moment(main.lines).from];
  if (!Number.isFinite(last) || last === began) return lived;
  const silent = death.death.at.value - last;
  if (last < first) return undefined;
  // The log begins with the container: how long it goes on needs no time zone.
  if (isOfOtherZone(first - began)) return lived - (last - first);
  return isOfOtherZone(silent) || silent > lived + CLOCK_SKEW_MS ? undefined : silent;
}

// Imports, a CUDA context, weights and a first graph mostly take longer than this; a small model of llama.cpp does not. Nobody
// measured it over engines, so that it dates no proved failure.
const SHORTER_THAN_A_START_S = 60;
// Who came up and was killed by requests lives longer from time to time, and is ready in between.
const SHORT_S = 180;
const MANY_RESTARTS = 3;
const SEVERAL_RESTARTS = 2;

/**
 * By how long the container lived at all: less than most starts take, or little and again and again without having become
 * ready. Of a server that loads when it is asked a life tells nothing. For a guess.
 */
export function fromShortLife(evidence: Evidence): Reading<Life> | undefined {
  if (evidence.death.kind !== 'death' || loadsOnDemand(evidence) || isProved(evidence)) return undefined;
  const { death, isOpen } = evidence.death;
  // What ended well had done what it was started for.
  if (death.role !== 'engine' || isOpen || death.end.exitCode?.value === 0) return undefined;
  const from = death.uptime.kind === 'known' ? byUptime(evidence, death) : byAge(evidence, death);
  return from && known<Life>('starting', ...from);
}

// No engine is ready, let alone serving, within seconds of its start.
const SECONDS_S = 20;

/** By a life of seconds, again and again: that proves a failure of the start whatever else is known of it. */
export function fromRestartsInSeconds({ death }: Evidence): Reading<Life> | undefined {
  if (death.kind !== 'death' || death.isOpen || death.death.role !== 'engine') return undefined;
  const { uptime, restarts } = death.death;
  if (uptime.kind === 'unknown' || uptime.value >= SECONDS_S || (restarts?.value ?? 0) < MANY_RESTARTS)
    return undefined;
  return known('starting', ...uptime.from, ...(restarts ? [restarts.from] : []));
}

function byUptime(evidence: Evidence, { uptime, restarts }: ContainerDeath): readonly Citation[] | undefined {
  if (uptime.kind === 'unknown') return undefined;
  if (uptime.value < SHORTER_THAN_A_START_S) return uptime.from;
  const isAgain = restarts !== undefined && restarts.value >= MANY_RESTARTS && !isReady(evidence);
  return isAgain && uptime.value < SHORT_S ? [...uptime.from, restarts.from] : undefined;
}

// What it waited between its lives is part of its age.
function byAge(evidence: Evidence, { restarts }: ContainerDeath): readonly Citation[] | undefined {
  const age = ageOf(evidence);
  if (age === undefined || restarts === undefined || restarts.value < SEVERAL_RESTARTS) return undefined;
  const most = restarts.value >= MANY_RESTARTS ? SHORT_S : SHORTER_THAN_A_START_S;
  return age.value / (restarts.value + 1) < most && !isReady(evidence) ? [age.from] : undefined;
}

function ageOf({ pod }: Evidence) {
  return pod.views.find(({ age }) => age !== undefined)?.age;
}

function isReady({ pod, death }: Evidence): boolean {
  const own = death.kind === 'death' ? death.death.view : undefined;
  const condition = pod.views.flatMap(({ conditions }) => conditions).find(({ type }) => type === 'Ready');
  return own?.ready?.value === true || condition?.status?.value === 'True' || own?.state?.kind === 'running';
}
