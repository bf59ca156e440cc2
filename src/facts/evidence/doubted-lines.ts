import { hasRole } from '../../model/signature-roles.ts';
import { isWeighty } from '../../read/log/signs-of-work.ts';
import type { LogChoice } from '../log/choose-logs.ts';
import { asksTheImpossible } from '../log/memory-wording.ts';
import { asContext, isBelow, type Weighed } from './weigh.ts';

/** The hits, where a refusal of a size that no machine has is not a shortage of memory. */
export function withoutImpossible(all: readonly Weighed[]): Weighed[] {
  return all.map((told) => {
    const { signature, hit } = told;
    const isOfMemory = signature.plane === 'gpu' || signature.plane === 'host';
    if (!isOfMemory || signature.weight === 'context' || !asksTheImpossible(hit.clean)) return told;
    const weight = signature.weight === 'hint' ? 'hint' : 'rules-out';
    return { ...told, signature: { ...signature, plane: 'none', phase: 'n/a', causes: ['none.other'], weight } };
  });
}

/**
 * The hits, where the shell's word for signal 9 counts for nothing below a line in which the engine says that it ends itself:
 * vLLM's server does once a worker has reported an error of its own, SGLang's once a step has hung.
 */
export function withoutOwnKill(all: readonly Weighed[]): Weighed[] {
  const ended = all.find(({ signature }) => hasRole(signature, 'ends-itself'));
  if (ended === undefined) return [...all];
  return all.map((weighed) =>
    isBelow(weighed, ended) && hasRole(weighed.signature, 'shell-killed') ? asContext(weighed) : weighed,
  );
}

/** A line that may be another's, as the hint that it is. */
export function asHint(weighed: Weighed, { unsure }: LogChoice): Weighed {
  const { signature, hit, file } = weighed;
  if (unsure?.get(file)?.has(hit.line) !== true) return weighed;
  if (signature.weight === 'rules-out') return asContext(weighed);
  return isWeighty(signature) ? { ...weighed, signature: { ...signature, weight: 'hint' } } : weighed;
}
