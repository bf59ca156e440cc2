import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function judged(log: string) {
  const { diagnosis } = await diagnoseSource(aSnapshot({ 'previous.log': `${log}\n` }), {
    phrases: COMPILED_PHRASES,
    judge,
  });
  const { plane, phase, cause, certain, finding } = diagnosis.verdict;
  return { plane, phase, cause, certain, finding };
}

describe('frames that people name where they left out the lines', () => {
  it.each([
    [
      '# torch.OutOfMemoryError in worker.py _init_cache_engine, cache_engine.py _allocate_kv_cache',
      'startup',
      'gpu-startup-pool-probable',
    ],
    [
      '# the second rank raised CUDA out of memory inside determine_num_available_blocks',
      'startup',
      'gpu-startup-profiling',
    ],
    [
      '# rank 3: CUDA error: out of memory, in torch/cuda/graphs.py capture_end, from backends.py __call__',
      'startup',
      'gpu-startup-graphs',
    ],
    [
      '# out of memory in create_weights() (linear.py:201, torch.empty), from RowParallelLinear of o_proj',
      'startup',
      'gpu-startup-weights',
    ],
    [
      '# frames: _bookkeeping_sync, compute_logits, then the all-gather, and torch.OutOfMemoryError',
      'burst',
      'gpu-burst-logits',
    ],
    ['# torch.OutOfMemoryError from compute_logits, called by profile_run', 'startup', 'gpu-startup-profiling'],
    ['# profile_cudagraph_memory() runs out of memory whatever is set', 'startup', 'gpu-startup-graphs'],
    ['# /wake_up fails with "CUDA Error: out of memory"', 'burst', 'gpu-waking'],
    ['# wake-up entered an OOM-on-wake loop until the container was restarted', 'burst', 'gpu-waking'],
  ])('date it and name the step: %s', async (log, phase, finding) => {
    expect(await judged(log)).toMatchObject({ plane: 'gpu', phase, finding, certain: false });
  });

  it.each([
    [
      'a setting with its value',
      '# CUDA out of memory at the fifth request, with chunked_prefill_size 8192 and cuda_graph_max_bs 64',
      'gpu-burst-unexplained',
    ],
    ['an argument', '# CUDA out of memory at the fifth request, create_weights: 2', 'gpu-burst-unexplained'],
    ['a file', '# CUDA out of memory in load_model.py', 'gpu-startup-unexplained'],
    [
      'what another function does',
      '# determine_num_available_blocks only counts the target model. An OOM at run time is not expected',
      'gpu-undated',
    ],
    ['advice', '# free the card first to avoid OOM at wake_up', 'unknown'],
  ])('of %s it is none', async (_name, log, finding) => {
    expect(await judged(log)).toMatchObject({ finding, certain: false });
  });

  it('a kill while a model is loaded is one of RAM, whatever its frame is called', async () => {
    expect(await judged('# the worker is OOM-killed in load_state_dict, RAM of the pod is full')).toMatchObject({
      plane: 'host',
      certain: false,
    });
  });

  it('lines that decide come before what is told', async () => {
    const log =
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.25 GiB is free.';
    expect(await judged(`${log}\n# out of memory in create_weights()`)).not.toMatchObject({
      finding: 'gpu-startup-weights',
    });
  });
});

describe('a pool that is refused, as people retell it', () => {
  it.each([
    '# ValueError: one request of max seq len 116160 needs 4.43 GB of KV cache, available 3.48 GB',
    '# the engine core ended with a ValueError: one request at the full length needs more KV cache than is available',
    '# not enough room is left for the KV cache',
  ])('is one of the start: %s', async (log) => {
    expect(await judged(log)).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
      cause: 'gpu.startup.kv-room',
      certain: false,
    });
  });

  it('a need that is met is none', async () => {
    expect(await judged('# a request needs 4.43 GB of KV cache, 9 GB are available')).toMatchObject({
      plane: 'unknown',
    });
  });

  it('whoever else holds the card says more than the refusal', async () => {
    const refused = '# the server refuses to start: ValueError, no available memory for the cache blocks';
    expect(await judged(refused)).toMatchObject({ cause: 'gpu.startup.kv-room' });
    expect(await judged(`${refused}\n# two containers run on the same GPU, the first takes 0.4 of it`)).toMatchObject({
      finding: 'gpu-startup-shared-noted',
      cause: 'gpu.startup.shared-gpu',
    });
  });
});

describe('compilers that are killed, as people retell it', () => {
  it.each([
    '# at start ninja stopped the build, subcommand failed; exit codes 137 and 143',
    '# nvcc is OOM-killed while kernels are compiled at startup',
  ])('are copies that run side by side: %s', async (log) => {
    expect(await judged(log)).toMatchObject({
      plane: 'host',
      phase: 'startup',
      cause: 'host.startup.workers',
      certain: false,
    });
  });
});

describe('a memory that is named beside another', () => {
  it.each([
    ['gpu', '# the container has 64Gi of RAM, torch.OutOfMemoryError at step 3'],
    ['gpu', '# not the RAM: torch.OutOfMemoryError'],
    ['gpu', '# memory grows until torch.OutOfMemoryError ends the engine after two hours'],
    ['host', '# memory grows until java.lang.OutOfMemoryError ends the gateway after two hours'],
    ['host', '# the trainer host-OOMs at step 3'],
    ['host', "# the box host-OOM'd"],
  ])('is %s: %s', async (plane, log) => {
    expect(await judged(log)).toMatchObject({ plane, certain: false });
  });
});

describe('what is no memory', () => {
  it('how many cards there are is no figure of GPU memory', async () => {
    const { diagnosis } = await diagnoseSource(
      aSnapshot({
        'previous.log': 'The actor is dead because its worker process has died.\n',
        'metrics.txt': 'GPU: 8*A100, MEM: 1T, used 537GB, the container requests 500G\n',
      }),
      { phrases: COMPILED_PHRASES, judge },
    );
    expect(diagnosis.verdict.plane).not.toBe('gpu');
  });

  it('a size that does not divide is a setting', async () => {
    expect(await judged('# the output size of 80 is not divisible by the FP8 block of 128')).toMatchObject({
      plane: 'none',
    });
  });

  it('"another try" is no advice', async () => {
    expect(await judged('# another try, CUDA out of memory when the sampler is warmed up')).toMatchObject({
      plane: 'gpu',
    });
    expect(await judged('# try a smaller model, it may go out of memory on the GPU')).toMatchObject({
      plane: 'unknown',
    });
  });
});

describe('frames of engines and trainers', () => {
  const OOM =
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.14 GiB (GPU 0; 79.35 GiB total capacity; 77.83 GiB already allocated; 711.19 MiB free; 77.83 GiB reserved in total by PyTorch)';
  it.each([
    [
      'buffers of a pool',
      `    self.value_buffer = [torch.empty((size, head_num, head_dim), dtype=dtype, device="cuda") for _ in range(layer_num)]\n${OOM}`,
      'gpu-startup-pool',
    ],
    ['LightLLM, around its load and its pool', `load model error: ${OOM.slice(29)}`, 'gpu-startup-pool'],
    [
      'what Megatron turns into 32 bits',
      `  File "/root/Megatron-LM/megatron/core/transformer/module.py", line 373, in float_conversion\n    val = val.float()\n${OOM}`,
      'gpu-burst-logits',
    ],
    [
      "the loop of vLLM's engine process",
      `ERROR 04-01 23:46:56 [engine.py:160] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 546.00 MiB.\n${OOM}`,
      'gpu-burst',
    ],
  ])('%s', async (_name, log, finding) => {
    expect((await judged(log)).finding).toContain(finding);
  });

  it('a hook that is killed before the container starts is one of RAM', async () => {
    const killed =
      'OCI runtime create failed: runc create failed: unable to start container process: error during container init: error running hook #0: error running hook: exit status 137, stdout: , stderr: nvidia-container-cli: line 5: Killed';
    expect(await judged(killed)).toMatchObject({ finding: 'host-hook-killed', plane: 'host', certain: false });
    expect(await judged(killed.replace('137', '1'))).toMatchObject({ plane: 'none', cause: 'none.driver' });
  });

  it.each([
    ['137', 'host-hook-killed'],
    ['1', 'none-runtime'],
  ])('and so it is by the status of the pod: exit status %s', async (status, finding) => {
    const message = `OCI runtime create failed: error running hook #0: error running hook: exit status ${status}, stdout: `;
    const pod = {
      kind: 'Pod',
      status: {
        phase: 'Running',
        containerStatuses: [
          { name: 'vllm', lastState: { terminated: { reason: 'StartError', exitCode: 128, message } } },
        ],
      },
    };
    const { diagnosis } = await diagnoseSource(aSnapshot({ 'pod.json': JSON.stringify(pod) }), {
      phrases: COMPILED_PHRASES,
      judge,
    });
    expect(diagnosis.verdict).toMatchObject({ finding });
  });

  it('a plugin that found no card for the pod is scheduling', async () => {
    expect(
      await judged(
        'OCI runtime create failed: nvidia-container-cli: device error: unknown device id: no-gpu-has-8129MiB-to-run',
      ),
    ).toMatchObject({ plane: 'none', cause: 'none.scheduling' });
  });
});
