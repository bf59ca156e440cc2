import { createReader } from './reader.ts';

/** Triton Inference Server with a backend that prints no lines of an engine of its own. */
export const tritonReader = createReader({
  engine: 'triton',
  name: /tritonserver|triton-inference-server|(?:^|[/._-])triton(?:$|[/._-])/i,
  image: /tritonserver/i,
  isHost: true,
  others: { 'load-end': ['tensorrt-llm'] },
});
