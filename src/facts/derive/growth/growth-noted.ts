import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import type { Memory } from '../../text/course.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { readToldGrowth, type Telling } from './told-growth.ts';

// What a program writes of its work, and no person.
const LOGGED =
  /\b(?:INFO|DEBUG|TRACE|WARN(?:ING)?|ERROR)\b|level=\w|^\W{0,3}\d{4}[-/]\d{2}[-/]\d{2}|^\W{0,3}\d{2}:\d{2}:\d{2}|^[IWEF]\d{4} /;

/** What people wrote: remarks, and words that stand between what programs wrote. */
export function toldLines({ readings }: Pick<Evidence, 'readings'>): readonly Telling[] {
  const kept = readings.logs.flatMap(tailLines).filter(({ text }) => !LOGGED.test(text));
  return [...remarkLines({ readings }), ...kept.map((from) => ({ text: from.text, from }))];
}

/** Whether somebody noted that this memory grows: in remarks, or in words that stand between what programs wrote. */
export function growthNoted(evidence: Evidence, memory: Memory): Fact | undefined {
  const told = readToldGrowth(toldLines(evidence)).filter(({ family }) => family.plane === memory);
  const last = lastLine(evidence.log.main);
  return told.length > 0
    ? fact(
        true,
        told.map(({ from }) => from),
      )
    : last && known(false, last);
}
