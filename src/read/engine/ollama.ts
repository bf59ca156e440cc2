import { createReader } from './reader.ts';

/** Ollama: what its runner prints, be it its own or llama.cpp. */
export const ollamaReader = createReader({
  engine: 'ollama',
  name: /(?:^|[/._-])ollama(?:$|[/._-])/i,
  image: /ollama/i,
  // Its runner reserves by arithmetic, as llama.cpp does.
  trialRun: false,
  runner: 'llama.cpp',
  others: { 'load-begin': ['llama.cpp'], 'load-end': ['llama.cpp'], 'kv-allocated': ['llama.cpp'] },
});
