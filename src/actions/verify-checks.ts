import type { CheckResult } from '../model/plan.ts';
import type { RequestTimes } from '../model/request-times.ts';
import { type Check, goodUnless, type Hour, judgeShortWait, judgeTime } from './judge-times.ts';

export type { Check } from './judge-times.ts';

/** A figure, or why there is none. `of` names the pod where there are several, `lacks` those of whom nothing is known. */
export type Reading =
  | { readonly kind: 'known'; readonly value: number; readonly of?: string | null; readonly lacks?: string | null }
  | { readonly kind: 'unknown'; readonly why: string };

/** What is read of the engine and its containers. Of several pods the worst; shares 0 to 1, times in ms. */
export type EngineReadings = {
  readonly ramShare: Reading;
  /** GPU memory that is used by nobody, on the fullest GPU. */
  readonly gpuFreeShare: Reading;
  readonly kvShare: Reading;
  /** Since the new pods came up. */
  readonly preemptions: Reading;
  readonly waiting: Reading;
  readonly running: Reading;
  /** Since the change. */
  readonly times: RequestTimes;
};

export type VerifyMarks = {
  readonly ramShare: number;
  readonly gpuFreeShare: number;
  readonly kvShare: number;
  readonly waitingPerRunning: number;
  /** Targets in ms; where there is none the hour before counts. */
  readonly ttftP99: number | null;
  readonly latencyP99: number | null;
  readonly shortWait: number | null;
  /** Worse than the hour before by more than this factor is a no. */
  readonly worseBy: number;
};

/** Pods and rollout as they were just read, or why they were not. */
export type RolloutReading =
  | {
      readonly kind: 'read';
      readonly ready: number;
      readonly wanted: number;
      /** The controller has not yet seen the last change, or some replicas are of the old template. */
      readonly pending: string | null;
      /** Pods of this change that have ended since it was made, in words. */
      readonly deaths: readonly string[];
    }
  | { readonly kind: 'unknown'; readonly why: string };

export type VerifyInput = {
  readonly rollout: RolloutReading;
  readonly signature: Check;
  readonly readings: EngineReadings;
  /** The hour before the incident. */
  readonly before: RequestTimes;
  /** When that was, and how often an engine restarted in it. */
  readonly hour?: Hour | undefined;
  /** Undefined where it was not asked for. */
  readonly probe: Check | undefined;
  readonly replay: Check | undefined;
};

/** Checks whose no ends a verification at once: waiting does not undo a death. */
export const FATAL_CHECKS: readonly string[] = ['restarts', 'oom-signature'];

/** Every check with its answer and its figure. Pure; what was not read is never a yes. */
export function judgeChecks(input: VerifyInput, marks: VerifyMarks): readonly CheckResult[] {
  const { rollout, signature, readings: seen, before, hour } = input;
  const { worseBy } = marks;
  const time = (words: string, id: 'ttftP99' | 'latencyP99') =>
    judgeTime(words, { now: seen.times[id], before: before[id], target: marks[id], worseBy, hour });
  return [
    judgeRollout(rollout),
    judgeRestarts(rollout),
    toResult('oom-signature', signature),
    judgeAtMost('ram', seen.ramShare, { mark: marks.ramShare, words: 'of the RAM limit in use' }),
    judgeGpu(seen.gpuFreeShare, marks.gpuFreeShare),
    judgeAtMost('kv-cache', seen.kvShare, { mark: marks.kvShare, words: 'of the KV pool in use' }),
    judgePreemptions(seen.preemptions),
    judgeQueue(seen, marks.waitingPerRunning),
    toResult('ttft', time('to the first token', 'ttftP99')),
    toResult('latency', time('a request', 'latencyP99')),
    toResult(
      'short-requests',
      judgeShortWait({ now: seen.times.shortWait, before: before.shortWait, target: marks.shortWait, worseBy, hour }),
    ),
    ...(input.probe === undefined ? [] : [toResult('probe', input.probe)]),
    ...(input.replay === undefined ? [] : [toResult('replay', input.replay)]),
  ];
}

function toResult(check: string, finding: Check): CheckResult {
  if (finding.kind === 'unknown') return { check, answer: 'could-not-tell', says: finding.why };
  return { check, answer: finding.kind === 'good' ? 'yes' : 'no', says: finding.says };
}

function judgeRollout(rollout: RolloutReading): CheckResult {
  if (rollout.kind === 'unknown') return toResult('rollout', rollout);
  const { ready, wanted, pending } = rollout;
  const says = `${ready} of ${wanted} replicas ready${pending === null ? '' : `; ${pending}`}`;
  return toResult('rollout', { kind: ready >= wanted && pending === null ? 'good' : 'bad', says });
}

function judgeRestarts(rollout: RolloutReading): CheckResult {
  if (rollout.kind === 'unknown') return toResult('restarts', rollout);
  const { deaths } = rollout;
  if (deaths.length === 0) return toResult('restarts', { kind: 'good', says: 'no restarts since the change' });
  return toResult('restarts', { kind: 'bad', says: deaths.join('; ') });
}

function judgeAtMost(check: string, reading: Reading, at: { mark: number; words: string }): CheckResult {
  if (reading.kind === 'unknown') return toResult(check, reading);
  const says = `${percent(reading.value)} ${at.words}${whose(reading)}, threshold ${percent(at.mark)}`;
  return toResult(check, settle(reading, reading.value <= at.mark, says));
}

function judgeGpu(free: Reading, mark: number): CheckResult {
  if (free.kind === 'unknown') return toResult('gpu-memory', free);
  const says = `${percent(free.value)} of the fullest GPU free${whose(free)}, threshold ${percent(mark)}`;
  return toResult('gpu-memory', settle(free, free.value >= mark, says));
}

type Known = Extract<Reading, { kind: 'known' }>;

function settle({ lacks = null }: Known, isGood: boolean, says: string): Check {
  return isGood ? goodUnless(lacks, says) : { kind: 'bad', says };
}

function whose({ of = null }: Known): string {
  return of === null ? '' : ` (${of})`;
}

function judgePreemptions(seen: Reading): CheckResult {
  if (seen.kind === 'unknown') return toResult('preemptions', seen);
  return toResult('preemptions', { kind: seen.value === 0 ? 'good' : 'bad', says: `${seen.value} since the change` });
}

function judgeQueue({ waiting, running }: EngineReadings, mark: number): CheckResult {
  if (waiting.kind === 'unknown') return toResult('queue', waiting);
  if (waiting.value === 0) return toResult('queue', settle(waiting, true, 'no request is waiting'));
  if (running.kind === 'unknown') return toResult('queue', running);
  const says = `${waiting.value} waiting, ${running.value} running${whose(waiting)}`;
  return toResult('queue', settle(waiting, waiting.value <= mark * running.value, says));
}

function percent(share: number): string {
  return `${Math.round(share * 1000) / 10}%`;
}
