/** Engines as their makers write them. */
export const ENGINES: Readonly<Record<string, string>> = {
  vllm: 'vLLM',
  sglang: 'SGLang',
  tgi: 'TGI',
  'text-generation-inference': 'TGI',
  'tensorrt-llm': 'TensorRT-LLM',
  triton: 'Triton',
  lmdeploy: 'LMDeploy',
  'llama.cpp': 'llama.cpp',
  ollama: 'Ollama',
};
