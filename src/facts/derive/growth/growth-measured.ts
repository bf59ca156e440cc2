import type { Fact } from '../../../model/fact.ts';
import type { Memory } from '../../text/course.ts';
import { readMeasuredGrowth } from '../course/course-growth.ts';
import type { Evidence } from '../evidence.ts';
import { rateOfGrowth } from './growth-noted.ts';

/** The readings that prove a growth that was `noted`: three or more, or what an hour or a piece of work keeps. */
export function growthMeasured(evidence: Evidence, memory: Memory, noted: Fact | undefined): Fact | undefined {
  if (noted?.kind !== 'known' || noted.value !== true) return undefined;
  return readMeasuredGrowth(evidence, memory) ?? rateOfGrowth(evidence, memory);
}
