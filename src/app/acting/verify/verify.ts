import { type Check, FATAL_CHECKS, judgeChecks, type RolloutReading } from '../../../actions/verify-checks.ts';
import type { CheckResult, VerifyStep } from '../../../model/plan.ts';
import { checkName } from '../../../report/words/check-words.ts';
import type { WorkloadPod } from '../../acting-ports.ts';
import type { ActAnswer } from '../act-answers.ts';
import { failStep, noteStep, ok, recordOf, stepOf, stopWanted, type Work } from '../acts/act-work.ts';
import { readSkew } from '../acts/clock-skew.ts';
import { NO_READINGS, NOT_TOLD, orLate } from '../acts/late-answers.ts';
import { lookForRevert } from '../acts/revert-watch.ts';
import { changedAt, nextLook, readyOf, rolloutPending } from '../acts/wait-acts.ts';
import type { Look, SignatureLook } from '../engine-eyes.ts';
import { answerOf, notTold } from '../engine-eyes.ts';
import { nothingKnown } from './read-history.ts';

/**
 * One look of a verification. A death or a new signature ends it at once; every other failed check counts only if it still fails at
 * the end, since a queue after an outage has to drain first. Missing data is not a pass: it is reported.
 */
export async function verifyStep(work: Work): Promise<ActAnswer> {
  const step = stepOf(work);
  const record = recordOf(work, step.n);
  if (step.kind !== 'verify' || record.phase === 'done') return ok(record.message);
  const stop = stopWanted(work);
  if (stop !== undefined) {
    breakOff(work);
    return stop;
  }
  const standing = await lookForRevert(work);
  if (standing.kind === 'reverted') return failStep(work, record, { why: 'reverted', says: standing.says });
  const { deps } = work;
  const checks = await lookOnce(work, step);
  await deps.store.saveChecks(work.run.id, [...checks], deps.clock.now());
  const since = record.startedAt ?? deps.clock.now();
  const over = deps.clock.now() - since >= step.forMs && hasLooked(work, step);
  const bad = checks.filter(({ check, answer }) => answer === 'no' && (over || FATAL_CHECKS.includes(check)));
  if (over || bad.length > 0) breakOff(work);
  if (bad.length > 0) return failStep(work, record, { why: 'bad', says: words(bad) });
  const says = summary(checks);
  await noteStep(work, record, { phase: over ? 'done' : 'running', message: says, attempt: true });
  return over ? ok(says) : { kind: 'wait', inMs: nextLook(work, step.everyMs), says };
}

// A clock that jumps, or another bot's that is ahead, makes no verification: half of its looks were made at least.
function hasLooked({ input }: Work, { forMs, everyMs }: VerifyStep): boolean {
  return (input.i + 1) * everyMs * (input.stretch ?? 1) >= forMs / 2;
}

function words(checks: readonly CheckResult[]): string {
  return checks.map(({ check, says }) => `${checkName(check)}: ${says}`).join('; ');
}

function summary(checks: readonly CheckResult[]): string {
  const count = (answer: CheckResult['answer']) => checks.filter((check) => check.answer === answer).length;
  return `${count('yes')} passed, ${count('no')} failed, ${count('could-not-tell')} no data`;
}

// A run that an older release began.
const NOT_READ = nothingKnown('no baseline from before the change');

async function lookOnce(work: Work, step: VerifyStep): Promise<readonly CheckResult[]> {
  const { deps, plan, cluster, context } = work;
  const read = await cluster.pods(plan.target, context);
  const skew = await readSkew(work);
  const since = changedAt(work) - skew;
  const pods = read.kind === 'read' ? read.pods : [];
  const begun = work.run.startedAt - skew;
  const { incidentId } = work.run;
  const look: Look = { target: plan.target, pods, since, begun, incidentId, signal: context.signal };
  const rollout: RolloutReading =
    read.kind === 'read' ? await rolloutOf(work, { pods, since, wanted: step.replicas }) : notTold(read.why);
  const { eyes } = deps;
  const [before, signature, readings, probe, replay] = await Promise.all([
    deps.store.baseline(work.run.id),
    orLate(look.signal, eyes.signature(look), NOT_TOLD),
    orLate(look.signal, eyes.readings(look), NO_READINGS),
    eyes.probe && orLate(look.signal, eyes.probe(look), NOT_TOLD),
    replayOnce(work, look, rollout),
  ]);
  return judgeChecks(
    {
      rollout,
      signature: findingOf(signature),
      readings,
      before: before?.times ?? NOT_READ.times,
      hour: before,
      probe: answerOf(probe, 'one token'),
      replay,
    },
    deps.verify.marksOf(plan.target),
  );
}

type PodsSince = { readonly pods: readonly WorkloadPod[]; readonly since: number; readonly wanted: number };

async function rolloutOf(work: Work, { pods, since, wanted }: PodsSince): Promise<RolloutReading> {
  const pending = await rolloutPending(work, wanted);
  return { kind: 'read', ready: readyOf(pods), wanted, pending, deaths: pods.flatMap((pod) => deathOf(pod, since)) };
}

// A death without a time counts where the pod itself is new.
function deathOf({ name, restarts, createdAt, lastDeath }: WorkloadPod, since: number): string[] {
  const isNew =
    lastDeath?.at === null || lastDeath === null ? restarts > 0 && createdAt >= since : lastDeath.at >= since;
  if (!isNew) return [];
  const how = lastDeath === null ? '' : `: ${lastDeath.reason}, exit code ${lastDeath.exitCode}`;
  return [`${name} restarted ${restarts} ${restarts === 1 ? 'time' : 'times'}${how}`];
}

function findingOf(look: SignatureLook): Check {
  if (look.kind === 'could-not-tell') return notTold(look.why);
  return { kind: look.kind === 'none' ? 'good' : 'bad', says: look.says };
}

/** Stops the replay, if one is in progress. */
function breakOff({ deps, plan, run }: Work): void {
  deps.eyes.replay?.stop({ target: plan.target, begun: run.startedAt });
}

/**
 * The replay of this run, which is sent once: the stored result is final. A check is stored before anything is sent, so
 * a bot that comes after this one finds it and does not send it again. Undefined as long as it has not begun.
 */
async function replayOnce(work: Work, look: Look, rollout: RolloutReading): Promise<Check | undefined> {
  const { deps, run } = work;
  const { replay } = deps.eyes;
  if (replay === undefined) return undefined;
  const before = run.checks.find(({ check }) => check === 'replay');
  if (before?.answer === 'yes') return { kind: 'good', says: before.says };
  if (before?.answer === 'no') return { kind: 'bad', says: before.says };
  if (before !== undefined && !replay.knows(look))
    return notTold('the bot restarted during the replay; it is not sent twice');
  if ((await deps.store.paused()) !== undefined) {
    breakOff(work);
    return before && notTold('changes were paused');
  }
  if (before === undefined) {
    if (!isWhole(rollout)) return undefined;
    const begun = { check: 'replay', answer: 'could-not-tell', says: 'about to be sent' } as const;
    await deps.store.saveChecks(run.id, [...run.checks, begun], deps.clock.now());
  }
  return answerOf(await orLate(look.signal, replay.look(look), NOT_TOLD), 'the replayed requests');
}

function isWhole(rollout: RolloutReading): boolean {
  return rollout.kind === 'read' && rollout.pending === null && rollout.ready >= rollout.wanted;
}
