import { isHelperName, programOf } from './runs-by-name.ts';

// Servers that no reader knows, as their images, commands and lines call them: huggingface/text-embeddings-inference
// router/src/main.rs, michaelfeil/infinity libs/infinity_emb, the console scripts of LMCache.
const SERVERS: readonly { readonly name: string; readonly is: RegExp }[] = [
  { name: 'text-embeddings-inference', is: /\btext[-_]embeddings?[-_](?:inference|router|core|backend)/i },
  { name: 'infinity', is: /\binfinity[-_]emb|(?:^|\/)michaelf34\/infinity\b/i },
  // The models of NVIDIA's retrieval microservices run in Triton (NeMo Retriever Text Embedding NIM, support matrix).
  { name: 'nemo-retriever', is: /(?:^|\/)nim\/[\w.-]+\/[\w.-]*(?:embed|rerank)/i },
  { name: 'lmcache', is: /^(?:\S*\/)?lmcache(?:_server|_controller|\.v1\.\S+|\/standalone\S*)?$/i },
];

// What stands beside engines, often in their images: vllm-project/production-stack src/vllm_router, sgl-project/sglang
// sgl-model-gateway (its `launch_server` starts engines as well), ai-dynamo/dynamo components/src/dynamo, kvcache-ai/Mooncake
// mooncake-store.
const BESIDE =
  /(?:^|\/)(?:(?:vllm|sglang|sgl|lmstack)[-_](?:[a-z]+[-_])?(?:router|gateway)(?:$|\.(?!launch_server\b))|dynamo\.(?:frontend|router|planner)\b|mooncake_master$)/i;
const BESIDE_IMAGE = /(?:^|\/)(?:vllm-project\/semantic-router|litellm(?:-database|-non_root)?)(?:$|[/:@])/i;

/** The name of a server that no reader knows, in an image, a command or a line; undefined for any other. */
export function serverNamed(text: string): string | undefined {
  return SERVERS.find(({ is }) => is.test(text))?.name;
}

/** Whether a word of a command starts something beside an engine, whatever engine its name holds. */
export function startsHelper(word: string): boolean {
  return BESIDE.test(word);
}

/** Whether an image is of something beside an engine, whatever engine its name holds. */
export function isHelperImage(image: string): boolean {
  return BESIDE_IMAGE.test(image) || isHelperName(programOf(image));
}
