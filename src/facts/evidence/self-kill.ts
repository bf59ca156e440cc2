import { asContext, isBelow, type Weighed } from './weighed.ts';

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
