import { isWeighty } from '../../read/log/signs-of-work.ts';
import type { LogChoice } from '../log/choose-logs.ts';
import { asksTheImpossible } from '../log/memory-wording.ts';
import { asContext, isBelow, type Weighed } from './weigh.ts';

/** The hits, where a refusal of a size that no machine has is not a shortage of memory. */
export function withoutImpossible(all: readonly Weighed[]): Weighed[] {
  return all.map((told) => {
    const { phrase, hit } = told;
    const isOfMemory = phrase.plane === 'gpu' || phrase.plane === 'host';
    if (!isOfMemory || phrase.weight === 'context' || !asksTheImpossible(hit.clean)) return told;
    const weight = phrase.weight === 'hint' ? 'hint' : 'rules-out';
    return { ...told, phrase: { ...phrase, plane: 'none', phase: 'n/a', causes: ['none.other'], weight } };
  });
}

const KILLED_WORD = /^host\.killed-word(?:\.translated)?$/;
/** vLLM's server ends itself and all its processes by signal 9 once a worker has reported an error of its own, and SGLang's once a step has hung. */
const ENDS_ITSELF = /^(?:vllm\.die\.ends-itself|sglang\.run\.watchdog)$/;

/** The hits, where the shell's word for signal 9 counts for nothing below a line in which the engine says that it ends itself. */
export function withoutOwnKill(all: readonly Weighed[]): Weighed[] {
  const ended = all.find(({ phrase }) => ENDS_ITSELF.test(phrase.id));
  if (ended === undefined) return [...all];
  return all.map((weighed) =>
    isBelow(weighed, ended) && KILLED_WORD.test(weighed.phrase.id) ? asContext(weighed) : weighed,
  );
}

/** A line that may be another's, as the hint that it is. */
export function asHint(weighed: Weighed, { unsure }: LogChoice): Weighed {
  const { phrase, hit, file } = weighed;
  if (unsure?.get(file)?.has(hit.line) !== true) return weighed;
  if (phrase.weight === 'rules-out') return asContext(weighed);
  return isWeighty(phrase) ? { ...weighed, phrase: { ...phrase, weight: 'hint' } } : weighed;
}
