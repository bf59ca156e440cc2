import { describe, expect, it } from 'vitest';
import { known, logged, valueIn, verdictOfFiles } from '../incident.ts';

const KV = [
  'load_tensors:        CUDA0 model buffer size =  4096.00 MiB',
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 16384.00 MiB on device 0: cudaMalloc failed: out of memory',
  'llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache',
].join('\n');
const LLAMA = {
  'args.txt': '/app/llama-server -m /m.gguf --ctx-size 131072 --parallel 8 -ngl 99\n',
  ...logged(KV),
};
const SMI =
  'index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA A10G, 4200 MiB, 15360 MiB, 0 %\n';

describe('what an engine calls its knobs', () => {
  it.each([
    ['vllm', '0.11.0', 'knob.fraction', '--gpu-memory-utilization'],
    ['sglang', '0.5.5', 'knob.sequences', '--max-running-requests'],
    ['tgi', undefined, 'knob.batched-tokens', undefined],
    ['tgi', undefined, 'knob.sequences', '--max-concurrent-requests'],
    ['lmdeploy', '0.9.2', 'knob.ranks', '--tp'],
    ['llama.cpp', undefined, 'knob.length', '--ctx-size'],
    ['llama.cpp', undefined, 'knob.fraction', undefined],
  ])('%s %s: %s is %s', async (engine, version, id, expected) => {
    const files = {
      'previous.log': 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n',
      ...known({ engine, engine_version: version }),
    };

    expect(await valueIn(files, id)).toBe(expected);
  });

  it('an error that names its flag tells that the engine has it, whatever its version', async () => {
    const files = {
      'args.txt': 'text-generation-launcher --model-id acme/falcon-9b\n',
      'previous.log': [
        'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacty of 23.64 GiB of which 1.12 GiB is free.',
        'RuntimeError: Not enough memory to handle 16000 prefill tokens. You need to decrease `--max-batch-prefill-tokens`',
        '',
      ].join('\n'),
    };
    expect((await verdictOfFiles(files)).remedies.flatMap(({ edits }) => edits)).toMatchObject([
      { flag: '--max-batch-prefill-tokens', from: '16000', to: '8000' },
    ]);
  });
});

it('engines that size by buffers get the context that fits beside the weights where the card is known', async () => {
  // (15 GiB - 4 GiB of weights - 1 GiB) * 131072 / 16 GiB, of which 95 %, in blocks of 256.
  expect(await valueIn({ ...LLAMA, 'nvidia-smi.txt': SMI }, 'advice.context-fit')).toBe(77_824);
});
