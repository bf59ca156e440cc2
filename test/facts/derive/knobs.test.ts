import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { spellKnob } from '../../../src/model/knob-spelling.ts';
import { aSnapshot, BOOK, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

type Files = Readonly<Record<string, string>>;

const diagnosed = (files: Files) => diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge, book: BOOK });

async function factOf(files: Files, id: string): Promise<unknown> {
  const fact = (await diagnosed(files)).facts.get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

const KV = [
  'load_tensors:        CUDA0 model buffer size =  4096.00 MiB',
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 16384.00 MiB on device 0: cudaMalloc failed: out of memory',
  'llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache',
].join('\n');
const LLAMA = {
  'args.txt': '/app/llama-server -m /m.gguf --ctx-size 131072 --parallel 8 -ngl 99\n',
  'previous.log': `${KV}\n`,
};
const OLLAMA = {
  'args.txt': 'OLLAMA_CONTEXT_LENGTH=65536 OLLAMA_NUM_PARALLEL=4 ollama serve\n',
  'previous.log': `time=2026-05-01T10:00:00.000Z level=INFO source=routes.go:1310 msg="Listening on [::]:11434 (version 0.11.5)"\n${KV}\n`,
};
const SMI =
  'index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA A10G, 4200 MiB, 15360 MiB, 0 %\n';

describe('what an engine calls its knobs', () => {
  it.each([
    ['repository', 'kv_cache_free_gpu_mem_fraction'],
    ['file', 'kv_cache_config.free_gpu_memory_fraction'],
    ['command-line', '--kv_cache_free_gpu_memory_fraction'],
  ] as const)('calls the fraction of TensorRT-LLM as the %s does that sets it', (setBy, name) => {
    expect(spellKnob({ engine: 'tensorrt-llm', version: '1.0.0', setBy }, 'fraction')).toBe(name);
  });

  it.each([
    ['vllm', '0.11.0', 'knob.fraction', '--gpu-memory-utilization'],
    ['vllm', '0.11.0', 'knob.cache-type', '--kv-cache-dtype fp8'],
    ['sglang', '0.5.5', 'knob.sequences', '--max-running-requests'],
    ['tgi', '3.3.4', 'knob.batched-tokens', '--max-batch-prefill-tokens'],
    ['tgi', undefined, 'knob.batched-tokens', undefined],
    ['tgi', undefined, 'knob.sequences', '--max-concurrent-requests'],
    ['tgi', undefined, 'knob.excess', 'are refused with HTTP 429'],
    ['lmdeploy', undefined, 'knob.excess', 'wait'],
    ['lmdeploy', '0.9.2', 'knob.ranks', '--tp'],
    ['tensorrt-llm', '1.0.0', 'knob.fraction', 'kv_cache_config.free_gpu_memory_fraction'],
    ['llama.cpp', undefined, 'knob.length', '--ctx-size'],
    ['llama.cpp', undefined, 'knob.fraction', undefined],
    ['ollama', '0.11.5', 'knob.cache-type', 'OLLAMA_KV_CACHE_TYPE=q8_0'],
    ['ollama', '0.4.7', 'knob.cache-type', undefined],
    ['ollama', undefined, 'knob.cache-type', undefined],
    ['some-engine', undefined, 'knob.length', undefined],
  ])('%s %s: %s is %s', async (engine, version, id, expected) => {
    const files = {
      'previous.log': 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n',
      'incident.json': JSON.stringify({ engine, engine_version: version }),
    };

    expect(await factOf(files, id)).toBe(expected);
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
    const { diagnosis } = await diagnosed(files);

    expect(diagnosis.verdict.remedies.flatMap(({ edits }) => edits)).toMatchObject([
      { flag: '--max-batch-prefill-tokens', from: '16000', to: '8000' },
    ]);
  });
});

describe('engines that size by buffers', () => {
  it('have their context halved where no sum tells what fits', async () => {
    const { diagnosis } = await diagnosed(LLAMA);

    expect(diagnosis.verdict.finding).toBe('gpu-startup-kv-room');
    expect(diagnosis.verdict.remedies.flatMap(({ edits }) => edits)).toMatchObject([
      { flag: '--ctx-size', from: '131072', to: '65536' },
    ]);
    expect(diagnosis.verdict.remedies.map(({ says }) => says).join(' ')).not.toMatch(/fraction|tensor parallel|FP8/i);
  });

  it('get the context that fits beside the weights where the card is known', async () => {
    // (15 GiB - 4 GiB of weights - 1 GiB) * 131072 / 16 GiB, of which 95 %, in blocks of 256.
    expect(await factOf({ ...LLAMA, 'nvidia-smi.txt': SMI }, 'advice.context-fit')).toBe(77_824);
    expect(await factOf({ ...LLAMA, 'nvidia-smi.txt': SMI }, 'advice.context-half')).toBeUndefined();
  });

  it('Ollama is told by its variables, in args.txt or in the pod', async () => {
    const env = [
      { name: 'OLLAMA_CONTEXT_LENGTH', value: '65536' },
      { name: 'OLLAMA_NUM_PARALLEL', value: '4' },
    ];
    const pod = { spec: { containers: [{ name: 'ollama', image: 'ollama/ollama:0.11.5', env }] } };
    const ofPod = { 'pod.json': JSON.stringify(pod), 'previous.log': OLLAMA['previous.log'] };

    for (const files of [OLLAMA, ofPod]) {
      const edits = (await diagnosed(files)).diagnosis.verdict.remedies.flatMap((remedy) => remedy.edits);
      expect(edits).toMatchObject([
        { flag: 'OLLAMA_CONTEXT_LENGTH', from: '65536', to: '32768' },
        { flag: 'OLLAMA_NUM_PARALLEL', from: '4', to: '2' },
      ]);
    }
  });

  it.each([
    ['by the split', '-ngl 99 -ts 3,2', KV, 2, 'device 0'],
    ['by the split with one part that takes nothing', '-ngl 99 --tensor-split 1,0', KV, 1, undefined],
    ['by the load', '-ngl 99', `load_tensors:        CUDA1 model buffer size =  4096.00 MiB\n${KV}`, 2, 'device 0'],
    ['by nothing but one card', '-ngl 99', KV, 1, undefined],
  ])('name the card that refused where there are several, %s', async (_what, args, log, devices, failed) => {
    const files = {
      ...LLAMA,
      'args.txt': `/app/llama-server -m /m.gguf --ctx-size 131072 ${args}\n`,
      'previous.log': `${log}\n`,
    };
    const { facts, diagnosis } = await diagnosed({ ...files, 'nvidia-smi.txt': SMI });
    const said = diagnosis.verdict.remedies.map(({ says }) => says).join(' ');
    const known = (id: string) => {
      const fact = facts.get(id);
      return fact?.kind === 'known' ? fact.value : undefined;
    };

    expect(known('engine.failed-device')).toBe(failed);
    expect(known('engine.devices')).toBe(devices);
    expect(said.includes('tensor-split')).toBe(failed !== undefined);
    // One card's sum is none of two.
    expect(known('advice.context-fit') === undefined).toBe(devices > 1);
  });

  it('are given no context below the least that is of use', async () => {
    const small = { ...LLAMA, 'args.txt': 'llama-server -m /m.gguf --ctx-size 4000\n' };

    expect(await factOf(small, 'advice.context-half')).toBeUndefined();
  });
});
