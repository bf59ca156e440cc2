import { atStartup, BURST, USUAL_FLAGS, withLmcache } from './common-incidents.ts';
import { flags, SERVER, triageOnly } from './parts.ts';
import type { Scenario } from './scenario.ts';

/** Both memories run out, one after the other. */
export const BOTH: readonly Scenario[] = [
  {
    name: 'gpu-then-ram',
    says: 'CUDA OOM kills the engine core; it is loaded again in the same container, which takes it over its memory limit.',
    ...BURST,
    services: [withLmcache({ ...BURST.services[0], memory: '13Gi', faults: { reloadsCore: true } }, 8)],
    historyMinutes: 40,
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.burst.headroom', ending: 'none' },
  },
  {
    name: 'ram-then-gpu',
    says: 'The container is OOMKilled; the next one finds the GPU still held by the process that was killed.',
    ...atStartup(
      withLmcache(
        {
          ...SERVER,
          memory: '20Gi',
          args: flags(USUAL_FLAGS),
          faults: { gpuHeldSeconds: 600, hangsAfterFailure: true },
        },
        40,
      ),
    ),
    historyMinutes: 10,
    steps: triageOnly('vllm-server'),
    expect: { cause: 'host.offload', ending: 'none' },
  },
  {
    name: 'gpu-then-ram-restart',
    says: 'CUDA OOM ends the container; what it left in /dev/shm takes the load of the next one over the memory limit.',
    ...BURST,
    services: [{ ...BURST.services[0], memory: '5Gi', faults: { sharedMemoryLeftGib: 1.5, hangsAfterFailure: true } }],
    historyMinutes: 42,
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.burst.headroom', ending: 'none' },
  },
];
