// Images whose ENTRYPOINT is the engine itself, so that `args` alone are its arguments: their own Dockerfiles
// (vllm-project/vllm docker/Dockerfile, target vllm-openai: `python3 -m vllm.entrypoints.openai.api_server`, later
// `vllm serve`; huggingface/text-generation-inference tgi-entrypoint.sh: `exec text-generation-launcher $@`;
// ggml-org/llama.cpp .devops, target server: `/app/llama-server`). A mirror keeps the last two parts of the name.
const IMAGES: readonly (readonly [RegExp, string])[] = [
  [/(?:^|\/)vllm\/vllm-openai(?:[:@]|$)/, 'vllm'],
  [/(?:^|\/)huggingface\/text-generation-inference(?:[:@]|$)/, 'tgi'],
  [/(?:^|\/)(?:ggml-org|ggerganov)\/llama\.cpp:server(?:$|[-@])/, 'llama.cpp'],
];

/** Whether the entrypoint of an image is known to be this engine; of all other images nothing is known. */
export function knownEntrypoint(image: unknown, engine: string): 'engine' | 'unknown' {
  if (typeof image !== 'string') return 'unknown';
  return IMAGES.some(([pattern, of]) => of === engine && pattern.test(image)) ? 'engine' : 'unknown';
}
