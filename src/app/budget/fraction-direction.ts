import type { Facts } from '../../model/fact.ts';
import type { Remedy, Verdict } from '../../model/verdict.ts';
import { textOf } from './engine-figures.ts';

/** Which way the signature moves the memory fraction: by a remedy that has it, else as no remedy contradicts. */
export function fractionDirection(
  { remedies, phase, cause }: Pick<Verdict, 'remedies' | 'phase' | 'cause'>,
  fraction: string | undefined,
  facts: Facts,
): Remedy['direction'] {
  const own = remedies.find(({ edits }) => fraction !== undefined && edits.some(({ flag }) => flag === fraction));
  if (own !== undefined) return own.direction;
  const ways = remedies.filter(({ action }) => action !== 'raise-ram').map(({ direction }) => direction);
  // A refusal for want of KV room asks for more, also where its own step is more than the card allows.
  if (ways.includes('raise') || cause === 'gpu.startup.kv-room') return 'raise';
  // At a start what is to be lowered may be the length alone; and a pool that was full is made no smaller.
  return phase !== 'startup' && textOf(facts, 'kv-cache.refused') !== 'true' && ways.includes('lower')
    ? 'lower'
    : 'none';
}
