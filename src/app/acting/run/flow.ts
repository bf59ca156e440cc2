import { followsBack } from '../../../actions/run/undo-steps.ts';
import type { Plan, PlanStep } from '../../../model/plan.ts';
import type { Steps } from '../../acting-ports.ts';
import { ActAnswer, type ActInput, type ActName, type Ahead, type Back, type RunInput } from '../act-answers.ts';
import { type Pace, paceOf } from '../acts/pace.ts';

// The engine parks a run by throwing through this code and runs it again from the top, with the answers it has stored.
// So nothing here may catch, look at the clock, or remember anything outside of its arguments.

// With the waits that the acts ask for: a paused run is held for about an hour, then it ends at that step.
const HOLD_TRIES = 66;
const WATCH_TRIES = 40;
const REPORT_TRIES = 40;
const HANDOVER_TRIES = 5;

/** Carries a plan out: forward step by step, back where it must, and one report. The same on every engine. */
export async function runPlan(steps: Steps, input: RunInput): Promise<Ahead['why'] | 'duplicate'> {
  const { runId, plan } = input;
  const claimed = await ask(steps, 'claim', { runId, i: 0, from: input.from });
  if (claimed.kind !== 'ok') return 'duplicate';
  const ahead = input.from === 'roll-back' ? askedBack(plan) : await goForward(steps, input);
  const back = mustGoBack(ahead, input) ? await goBack(steps, input, ahead) : null;
  await until(steps, 'report', { runId, ahead, back }, REPORT_TRIES);
  await until(steps, 'handover', { runId }, HANDOVER_TRIES);
  return ahead.why;
}

function askedBack({ steps }: Plan): Ahead {
  return { why: 'roll-back', says: '', reached: steps.at(-1)?.n ?? 0 };
}

async function goForward(steps: Steps, { runId, plan }: RunInput): Promise<Ahead> {
  const ready = await until(steps, 'check', { runId }, HOLD_TRIES);
  if (ready.kind === 'stop') return { why: ready.why, says: ready.says, reached: 0 };
  const pace = paceOf(plan);
  let reached = 0;
  for (const step of plan.steps) {
    reached = step.n;
    const answer = await carryOut(steps, runId, step, pace);
    if (answer.kind === 'stop') return { why: answer.why, says: answer.says, reached };
  }
  const watched = await until(steps, 'watch', { runId }, WATCH_TRIES);
  if (watched.kind === 'stop' && watched.why !== 'timeout') return { why: watched.why, says: watched.says, reached };
  return { why: 'done', says: '', reached };
}

function carryOut(steps: Steps, runId: string, step: PlanStep, pace: Pace): Promise<Ended> {
  const input = { runId, n: step.n, stretch: pace.stretch };
  if (step.kind === 'wait') return until(steps, 'wait', input, pace.tries(step));
  if (step.kind === 'verify') return until(steps, 'verify', input, pace.tries(step));
  return until(steps, 'apply', { runId, n: step.n }, HOLD_TRIES);
}

// Someone else's value is never written over; what a person has left is left.
function mustGoBack({ why, reached }: Ahead, { rollBack }: RunInput): boolean {
  if (reached === 0) return false;
  if (why === 'abort' || why === 'roll-back') return true;
  return rollBack === 'automatic' && (why === 'timeout' || why === 'failed' || why === 'bad');
}

async function goBack(steps: Steps, { runId, plan }: RunInput, { reached, why, says }: Ahead): Promise<Back> {
  await ask(steps, 'compensate', { runId, i: 0, ahead: { why, says, reached } });
  const { settle, stretch } = paceOf(plan);
  let late: string | null = null;
  for (const step of plan.steps.toReversed()) {
    if (step.kind !== 'write' || step.n > reached) continue;
    if (late === null && followsBack(plan, step, reached)) {
      const followed = await until(steps, 'settle', { runId, n: step.n, stretch }, settle);
      if (followed.kind === 'stop') late = followed.says;
    }
    const undone = await until(steps, 'undo', { runId, n: step.n }, HOLD_TRIES);
    if (undone.kind === 'stop') return { kind: 'stuck', says: undone.says };
  }
  // What had its whole time already is looked at once more, and not waited for again.
  const settled = await until(steps, 'settle', { runId, stretch }, late === null ? settle : 1);
  if (settled.kind === 'ok') return { kind: 'back', says: settled.says };
  return { kind: settled.why === 'reverted' ? 'stuck' : 'late', says: settled.says };
}

type Ended = Extract<ActAnswer, { kind: 'ok' | 'stop' }>;

async function until(steps: Steps, name: ActName, input: Omit<ActInput, 'i'>, tries: number): Promise<Ended> {
  let says = '';
  for (let i = 0; i < tries; i += 1) {
    const answer = await ask(steps, name, { ...input, i });
    if (answer.kind === 'ok' || answer.kind === 'stop') return answer;
    if (answer.kind === 'duplicate') return { kind: 'stop', why: 'failed', says: 'another execution has this run' };
    says = answer.says;
    await steps.sleep(answer.inMs);
  }
  return { kind: 'stop', why: 'timeout', says };
}

async function ask(steps: Steps, name: ActName, input: ActInput): Promise<ActAnswer> {
  return ActAnswer.parse(await steps.run(name, input));
}
