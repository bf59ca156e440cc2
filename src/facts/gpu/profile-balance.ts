import type { Fact } from '../../model/fact.ts';
import { fact } from '../draft.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';

// V0 compared what was free, its later versions what was used (vllm/worker/worker.py v0.6.6, v0.10.2).
const BALANCE = /Initial (free|used) memory ([\d.]+)(?: GiB)?,? current(?:ly)? (?:free|used) memory ([\d.]+)/;

/** Whether memory was freed, or did not move, while the engine measured its trial run. People paste the sentence wrapped. */
export function profileBalance(weighed: Weighed, tail: string): Fact | undefined {
  const match = BALANCE.exec(weighed.hit.clean) ?? BALANCE.exec(tail.replaceAll(/\s+/g, ' '));
  if (match === null) return undefined;
  const grown = Number(match[3]) - Number(match[2]);
  const freed = match[1] === 'free' ? grown : -grown;
  return fact(freed < 0 ? undefined : freed > 0 ? 'freed' : 'unmoved', [citeHit(weighed)]);
}
