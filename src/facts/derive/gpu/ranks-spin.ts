import type { Fact } from '../../../model/fact.ts';
import { GIB } from '../../../model/quantity.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';

// A kernel of NCCL polls for its peers and keeps a card at 100 % the while; context and buffers of a communicator are some
// hundreds of MiB, and weights are more.
const SPINS = 0.95;
const NOTHING_LOADED = 2 * GIB;
const LEAST_CARDS = 2;

/** Whether several cards are at full work with nothing loaded: ranks that wait for each other in their first exchange. */
export function readRanksSpin({ smi }: Pick<Evidence, 'smi'>): Fact | undefined {
  const gpus = smi?.gpus ?? [];
  const told = gpus.flatMap(({ busyShare, used }) => (busyShare && used ? [{ busyShare, used }] : []));
  if (told.length < LEAST_CARDS) return undefined;
  const spinning = told.filter(({ busyShare, used }) => busyShare.value >= SPINS && used.value < NOTHING_LOADED);
  const proof = told.flatMap(({ busyShare, used }) => [busyShare.from, used.from]);
  return fact(spinning.length >= LEAST_CARDS && spinning.length === told.length, proof);
}
