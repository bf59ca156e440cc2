import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import { cleanLine } from '../../scan/clean-line.ts';
import type { Memory } from '../../text/course.ts';
import { EXCEPTION } from '../error/raised.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { memoryToldOf } from './memory-words.ts';
import { readToldGrowth, type Telling } from './told-growth.ts';

// What a program writes of its work, and no person.
const LOGGED =
  /\b(?:INFO|DEBUG|TRACE|WARN(?:ING)?|ERROR)\b|level=\w|^\W{0,3}\d{4}[-/]\d{2}[-/]\d{2}|^\W{0,3}\d{2}:\d{2}:\d{2}|^[IWEF]\d{4} /;

// Without one of these a line tells of no memory that grew.
const OF_MEMORY =
  /mem|RAM|R[SE]S|GPU|card|cuda|heap|swap|oom|leak|alloc|saw-? ?tooth|restart|kill|process|worker|server|container|pod|anon|\d ?[GM]i?B?\b|[内显]存|进程|泄|卡/i;

/** What people wrote: remarks, and words that stand between what programs wrote. */
export function toldLines(evidence: Pick<Evidence, 'readings'>): readonly Telling[] {
  return [...remarkLines(evidence), ...keptLines(evidence)];
}

function keptLines({ readings }: Pick<Evidence, 'readings'>): readonly Telling[] {
  const kept = readings.logs.flatMap(tailLines).filter(({ text }) => OF_MEMORY.test(text) && !isOfProgram(text));
  return kept.map((from) => ({ text: from.text, from }));
}

function isOfProgram(text: string): boolean {
  return LOGGED.test(text) || EXCEPTION.test(cleanLine(text).clean);
}

/** Whether somebody kept in the files of a run, and not in a remark, that this memory grows. */
export function growthNoted(evidence: Evidence, memory: Memory): Fact | undefined {
  const told = readToldGrowth(keptLines(evidence)).filter(({ family }) => family.plane === memory);
  const [first, ...more] = told.map(({ from }) => from);
  const last = lastLine(evidence.log.main);
  return first ? known(true, first, ...more) : last && known(false, last);
}

/** The line outside the remarks that names this memory and tells how much of it an hour or a piece of work keeps. */
export function rateOfGrowth(evidence: Evidence, memory: Memory): Fact | undefined {
  const told = readToldGrowth(keptLines(evidence)).find(
    ({ family, asRate, from }) => asRate && family.plane === memory && memoryToldOf([from.text]) === memory,
  );
  return told && known(true, told.from);
}
