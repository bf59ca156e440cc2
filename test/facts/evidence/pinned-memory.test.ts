import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const diagnosed = (...lines: readonly string[]) => verdictOfFiles(logged(...lines));

const BANNER = "INFO 11-20 10:00:21 [core.py:93] Initializing a V1 LLM engine (v0.9.0) with config: model='m'";
const LOAD = '  File "/opt/vllm/v1/worker/gpu_worker.py", line 162, in load_model';
const OFFLOAD = '  File "/opt/vllm/model_executor/models/utils.py", line 512, in maybe_offload_to_cpu';
const PINS = "    cpu_data = torch.empty_strided(size=p.data.size(), device='cpu', pin_memory=pin_memory)";
const OOM = 'RuntimeError: CUDA error: out of memory';

describe('the word of CUDA for a memory that is not named', () => {
  it('below a load whose innermost frame asks for page-locked RAM hints at that', async () => {
    expect(await diagnosed(BANNER, LOAD, OFFLOAD, PINS, OOM)).toMatchObject({
      plane: 'host',
      phase: 'startup',
      cause: 'host.offload',
      certain: false,
    });
  });

  it('below the same load without such a frame is the card', async () => {
    expect(await diagnosed(BANNER, LOAD, OOM)).toMatchObject({ plane: 'gpu', phase: 'startup' });
  });
});
