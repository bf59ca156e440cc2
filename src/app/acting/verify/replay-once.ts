import type { Check, RolloutReading } from '../../../actions/verify-checks.ts';
import type { Work } from '../acts/act-work.ts';
import { NOT_TOLD, orLate } from '../acts/late-answers.ts';
import type { Look } from '../engine-eyes.ts';
import { answerOf, notTold } from '../engine-eyes.ts';

/** Ends a replay that is under way, if there is one. */
export function breakOff({ deps, plan, run }: Work): void {
  deps.eyes.replay?.stop({ target: plan.target, begun: run.startedAt });
}

/**
 * The replay of this run, which is sent once: what is stored of it stands. A check is stored before anything is sent, so
 * a bot that comes after this one finds it and does not send it again. Undefined as long as it has not begun.
 */
export async function replayOnce(work: Work, look: Look, rollout: RolloutReading): Promise<Check | undefined> {
  const { deps, run } = work;
  const { replay } = deps.eyes;
  if (replay === undefined) return undefined;
  const before = run.checks.find(({ check }) => check === 'replay');
  if (before?.answer === 'yes') return { kind: 'good', says: before.says };
  if (before?.answer === 'no') return { kind: 'bad', says: before.says };
  if (before !== undefined && !replay.knows(look))
    return notTold('the bot was restarted meanwhile; it is not sent twice');
  if ((await deps.store.paused()) !== undefined) {
    breakOff(work);
    return before && notTold('all acting was paused');
  }
  if (before === undefined) {
    if (!isWhole(rollout)) return undefined;
    const begun = { check: 'replay', answer: 'could-not-tell', says: 'it is about to be sent' } as const;
    await deps.store.saveChecks(run.id, [...run.checks, begun], deps.clock.now());
  }
  return answerOf(await orLate(look.signal, replay.look(look), NOT_TOLD), 'the killing shape');
}

function isWhole(rollout: RolloutReading): boolean {
  return rollout.kind === 'read' && rollout.pending === null && rollout.ready >= rollout.wanted;
}
