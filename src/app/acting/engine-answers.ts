import type { Check } from '../../actions/verify-checks.ts';
import type { EngineAnswer } from './engine-eyes.ts';

/** Could not tell, and why. */
export function notTold(why: string): { readonly kind: 'unknown'; readonly why: string } {
  return { kind: 'unknown', why };
}

/** What an answer of an engine says to a check; `what` was asked. */
export function answerOf(answer: EngineAnswer | undefined, what: string): Check | undefined {
  if (answer === undefined) return undefined;
  if (answer.kind === 'could-not-tell') return notTold(answer.why);
  if (answer.kind === 'failed') return { kind: 'bad', says: `${what}: ${answer.why}` };
  return { kind: 'good', says: answer.says ?? `${what} answered in ${Math.round(answer.ms)} ms` };
}
