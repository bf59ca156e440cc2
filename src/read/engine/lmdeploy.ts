import { createReader } from './reader.ts';

/** LMDeploy with its engines TurboMind and PyTorch. Below its default log level it says little. */
export const lmdeployReader = createReader({
  engine: 'lmdeploy',
  name: /lmdeploy|turbomind/i,
  image: /lmdeploy/i,
  // The pool is a share of what the load left free (pytorch/engine/executor/base.py); warm-ups come after it.
  trialRun: false,
  others: { ready: ['uvicorn'], served: ['uvicorn'] },
});
