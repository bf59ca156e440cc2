import type { ArgEdit, EditOutcome } from './outcome.ts';

/** What is known around a container that its own JSON does not say. */
export type EditOptions = {
  /** As the engine's reader names it: vllm, sglang, tgi, llama.cpp, lmdeploy, tensorrt-llm, triton, ollama, nim. */
  readonly engine: string;
  readonly version?: string | null;
  /** `engine`: the image's entrypoint is the engine itself, so that `args` alone are its arguments. */
  readonly entrypoint?: 'engine' | 'unknown';
  /** `args` may be added where there are none: an operator concatenates them behind its own, no CMD of the image is lost. */
  readonly mayAddArgs?: boolean;
  /** Texts of ConfigMaps that the container may read, by name and key. */
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type EditInput = EditOptions & {
  /** A container as JSON: `command`, `args`, `env`. */
  readonly container: unknown;
  /** JSON pointer of the container in its object; the patch's paths begin with it. */
  readonly at: string;
  readonly edits: readonly ArgEdit[];
};

/** Changes flags and variables of one container in place and nothing else; all of the edits or none. Never throws. */
export function editArguments(_input: EditInput): EditOutcome {
  return { kind: 'refused', reason: 'engine-not-found', says: 'not built yet', paste: null };
}
