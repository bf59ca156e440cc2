import type { Fact } from '../../../model/fact.ts';
import type { Memory } from '../../text/course.ts';
import { readMeasuredGrowth } from '../course/course-growth.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { rateOfGrowth } from './growth-noted.ts';

const OF: Readonly<Record<Memory, 'gpu' | 'ram'>> = { gpu: 'gpu', host: 'ram' };

/** Whether readings prove a growth that was `noted`, and the last of them as it stands. */
export function deriveMeasured(evidence: Evidence, memory: Memory, noted: Fact | undefined): Group {
  const measured = growthMeasured(evidence, memory, noted);
  const last = measured?.kind === 'known' && measured.value === true ? measured.from.at(-1) : undefined;
  const text = last?.kind === 'line' ? last.text.trim() : undefined;
  return {
    [`${OF[memory]}.growth-measured`]: measured,
    [`${OF[memory]}.growth-reading`]: last && text !== undefined && text !== '' ? fact(text, [last]) : undefined,
  };
}

/** The readings that prove a growth that was `noted`: three or more, or what an hour or a piece of work keeps. */
function growthMeasured(evidence: Evidence, memory: Memory, noted: Fact | undefined): Fact | undefined {
  if (noted?.kind !== 'known' || noted.value !== true) return undefined;
  return readMeasuredGrowth(evidence, memory) ?? rateOfGrowth(evidence, memory);
}
