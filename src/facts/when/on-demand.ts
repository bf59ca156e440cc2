import type { Evidence } from '../evidence/evidence.ts';
import { isBeside, type Weighed } from '../evidence/weigh.ts';

// Servers that start a runner for each model that is asked for: the age of the server is not the runner's.
const BY_READER: ReadonlySet<string> = new Set(['ollama', 'localai']);
const LOCALAI = /\blocal-?ai\b/i;

/** Whether it is LocalAI, by its name or that of its image: its log is that of the engines that it runs. */
export function isLocalAi({ program, incident }: Pick<Evidence, 'program' | 'incident'>): boolean {
  return [incident?.engine, program.image?.value].some((name) => name != null && LOCALAI.test(name));
}

/** Whether the server loads models when they are asked for. */
export function loadsOnDemand(evidence: Pick<Evidence, 'engine' | 'program' | 'incident'>): boolean {
  return BY_READER.has(evidence.engine.engine) || isLocalAi(evidence);
}

/** What llama.cpp says of a load that came to nothing, beside the line that decides. */
export function failedLoad({ weighing }: Pick<Evidence, 'weighing'>): Weighed | undefined {
  const { decisive } = weighing;
  return weighing.all.find(
    (one) => one.phrase.id === 'llamacpp.when.load-failed' && decisive !== undefined && isBeside(one, decisive),
  );
}
