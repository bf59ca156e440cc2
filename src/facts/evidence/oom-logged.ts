import type { Fact } from '../../model/fact.ts';
import { fact } from '../log/draft.ts';
import type { Evidence } from './evidence.ts';
import { citeHit } from './weigh.ts';

/** Whether a line proves that a memory ran out. Only a line that decides for something else proves that none does. */
export function readOomLogged({ weighing, log }: Evidence, plane: 'gpu' | 'host'): Fact | undefined {
  const proof = weighing.proofs.find(({ signature }) => signature.plane === plane);
  if (proof !== undefined) return fact(true, [citeHit(proof)]);
  const { decisive } = weighing;
  if (log.main === undefined || decisive === undefined || decisive.signature.plane === plane) return undefined;
  return fact(false, [citeHit(decisive)]);
}
