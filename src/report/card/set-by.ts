import type { Facts } from '../../model/fact.ts';
import { fixedLimits } from '../../model/fixed-limits.ts';
import { bold, plain, type Span } from '../../model/message.ts';
import type { Diagnosis } from '../../model/verdict.ts';
import { capital } from '../words.ts';

/** Where the limits of TensorRT-LLM are changed if not by arguments. */
export function setByItems({ verdict }: Diagnosis, facts: Facts): Span[][] {
  const told = (id: string) => {
    const found = facts.get(id);
    return found?.kind === 'known' ? found.value : undefined;
  };
  const fixed = fixedLimits(String(told('engine.name') ?? ''), told('engine.set-by'));
  if (fixed?.why === undefined || fixed.way === undefined) return [];
  if (verdict.plane !== 'gpu' && verdict.plane !== 'both') return [];
  return [[bold('Where: '), plain(`${capital(fixed.why)}: ${fixed.way}`)]];
}
