import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import { isDeath } from '../error/raised.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';

// A parent that finds a child gone (vllm v1/engine/core_client.py, v1/executor/multiproc_executor.py, ray_executor_v2.py).
const GONE = /^vllm\.die\.(?:core-proc|worker-proc|ray-worker)$/;
// A child that ends on an error of its own says so before.
const OWN_END = /^vllm\.die\.(?:core-start|core-fatal|core-exception-old)$/;

/** Whether a parent found a process of its engine gone, which had said nothing of its end. */
export function readVanished({ weighing }: Evidence, error: Citation | undefined): Fact | undefined {
  const gone = weighing.all.filter((weighed) => GONE.test(weighed.phrase.id) && !hasCode(weighed));
  if (gone.length === 0 || error?.kind !== 'line' || !isDeath(error.text)) return undefined;
  return weighing.all.some(({ phrase }) => OWN_END.test(phrase.id)) ? undefined : fact(true, gone.map(citeHit));
}

/** Whether Ray lost a worker by the end of its connection, which says that it ended and nothing of why. */
export function readWorkerLost({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const lost = weighing.all.filter(({ phrase }) => phrase.id === 'ray.worker-lost');
  const last = lastLine(log.main);
  return lost.length > 0 ? fact(true, lost.slice(0, 3).map(citeHit)) : last && fact(false, [last]);
}

function hasCode({ hit }: Weighed): boolean {
  return hit.captures.code !== undefined;
}
