import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { fact } from '../draft.ts';
import { isDeath } from '../error/raised.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
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

const LOST = /^ray\.(?:worker-lost|actor-died)$/;
const ACTOR_DIED = /\bActorDiedError\b/;

/** Whether Ray lost a worker by the end of its connection, which says that it ended and nothing of why. */
export function readWorkerLost({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Fact | undefined {
  const lost = weighing.all.filter(({ phrase }) => LOST.test(phrase.id));
  const last = lastLine(log.main);
  const died = log.main && tailLines(log.main).find(({ text }) => ACTOR_DIED.test(text) || isDeath(text));
  const told = [...lost.slice(0, 3).map(citeHit), ...(died === undefined ? [] : [died])];
  return told.length > 0 ? fact(true, told.slice(0, 3)) : last && fact(false, [last]);
}

function hasCode({ hit }: Weighed): boolean {
  return hit.captures.code !== undefined;
}
