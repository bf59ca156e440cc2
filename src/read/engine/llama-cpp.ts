import { createReader } from './reader.ts';

/** The server of llama.cpp. Its ledger has one line for each buffer of each device. */
export const llamaCppReader = createReader({
  engine: 'llama.cpp',
  name: /llama[._-]?(?:cpp|server|cli)/i,
  image: /llama[._-]?cpp/i,
  // Cache and compute buffers are sized by arithmetic (llama_context, graph_reserve).
  trialRun: false,
});
