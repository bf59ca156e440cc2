import type { Fact } from '../../../model/fact.ts';
import { isAtWork } from '../../scan/life-signs.ts';
import { anyOf } from '../../text/patterns.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { citeHit } from '../weigh/weigh.ts';

// vLLM writes these each five or ten seconds, SGLang its batches many times in one.
const AT_INTERVALS = /\.run\.stats/;
const LEAST = 2;
// What people note of an engine that stopped, below its last line.
const STOPPED = anyOf(
  'i',
  /\b(?:no (?:further|more|new|line|answers?|repl(?:y|ies)|output)|nothing|never|time ?-?outs?|timed out|hangs?|hung|stuck|stops?|stopped|(?<!in the )ends?|ended|gone|dead|died|dies|crash\w*|kill\w*|restart\w*|errors?|5\d\d)\b/,
  /没有|卡住|卡死/,
);

/** Whether the log ends on figures of an engine at work: line after line with tokens generated, and nobody noted that it stopped. */
export function readGeneratesOn(evidence: Pick<Evidence, 'weighing' | 'readings'>): Fact | undefined {
  const figures = evidence.weighing.all.filter(({ phrase }) => AT_INTERVALS.test(phrase.id));
  const last = figures.slice(-LEAST);
  if (last.length < LEAST) return undefined;
  const stopped = remarkLines(evidence).some(({ text }) => STOPPED.test(text));
  return fact(!stopped && last.every(({ hit }) => isAtWork(hit)), last.map(citeHit));
}
