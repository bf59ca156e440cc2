import type { Facts } from '../../model/fact.ts';
import { capital } from '../../model/format-value.ts';
import { fixedLimits } from '../../model/knob-table.ts';
import { type Block, bold, plain, type Span } from '../../model/message.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { knownValue, shownValue } from '../words/report-input.ts';
import { clip, paragraph, type Words } from '../words/sentence.ts';

/** A contradiction in the evidence: the deciding line and the version, or the requested and the actual value. */
export function misfitBlocks(facts: Facts): Block[] {
  const misfit = shownValue(facts, 'log.version-misfit', 'text');
  return misfit === undefined ? [] : [paragraph(bold('Contradiction: '), clip(misfit, 600))];
}

/** Where the limits of TensorRT-LLM are changed if not by arguments. */
export function setByItems({ verdict }: Diagnosis, facts: Facts): Span[][] {
  const fixed = fixedLimits(String(knownValue(facts, 'engine.name') ?? ''), knownValue(facts, 'engine.set-by'));
  if (fixed?.why === undefined || fixed.way === undefined) return [];
  if (verdict.plane !== 'gpu' && verdict.plane !== 'both') return [];
  return [[bold('Where: '), plain(`${capital(fixed.why)}: ${fixed.way}`)]];
}

/** Where to change arguments if a platform runs the engine: it sets them and reverts other changes. */
export function wrapperItems({ verdict, says, next }: Diagnosis, facts: Facts): Words[] {
  const sentence = shownValue(facts, 'wrapper.arguments-at', 'text');
  const isTold = sentence === undefined || [says, ...next].join(' ').includes(sentence);
  if (isTold || verdict.remedies.length === 0) return [];
  const release = shownValue(facts, 'wrapper.version', 'text');
  const named = release === undefined ? '' : ` (${clip(release, 60)})`;
  return [[bold(`Where${named}: `), clip(sentence, 600)]];
}
