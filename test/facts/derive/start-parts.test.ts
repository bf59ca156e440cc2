import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

async function factsOf(args: string, ...log: readonly string[]) {
  const facts = await readFacts(
    aSnapshot({ 'args.txt': `${args}\n`, 'previous.log': `${log.join('\n')}\n` }),
    COMPILED_PHRASES,
  );
  const of = (id: string) => {
    const found = facts.get(id);
    return found?.kind === 'known' ? found.value : undefined;
  };
  return { bytes: of('ram.start-bytes'), parts: of('ram.start-parts'), uncounted: of('ram.not-counted') };
}

const VLLM = 'INFO 02-01 09:00:11 [api_server.py:1896] vLLM API server version 0.11.0';
const BUILD = 'build: 6869 (0a1b2c3d) with cc (Ubuntu 11.4.0-1ubuntu1~22.04) 11.4.0 for x86_64-linux-gnu';
const SIZE = 'print_info: file size   = 32.00 GiB (8.50 BPW)';

describe('the sum of host memory at the start', () => {
  it.each([
    [
      'API servers of vLLM',
      'vllm serve m -tp 2 --api-server-count 4',
      VLLM,
      6 * GIB,
      '2 ranks 2 GiB, 4 API servers 4 GiB',
    ],
    [
      'tokenizer workers of SGLang',
      'python3 -m sglang.launch_server --model-path m --tp-size 2 --tokenizer-worker-num 8',
      '[2025-05-01 10:00:41] server_args=ServerArgs(model_path=m)',
      10 * GIB,
      '2 ranks 2 GiB, 8 tokenizer workers 8 GiB',
    ],
    ['ranks alone where nobody says how many servers there are', 'vllm serve m -tp 2', VLLM, 2 * GIB, undefined],
  ])('has %s', async (_what, args, log, bytes, parts) => {
    expect(await factsOf(args, log)).toEqual({ bytes, parts, uncounted: undefined });
  });

  it('has the buffers that llama.cpp prints for RAM, repacked weights among them, and not what it maps', async () => {
    const found = await factsOf(
      'llama-server -m m.gguf -ngl 0',
      BUILD,
      'load_tensors:   CPU_Mapped model buffer size = 20000.00 MiB',
      'load_tensors:   CPU_REPACK model buffer size =  6000.00 MiB',
      'load_tensors:        CUDA0 model buffer size =  4000.00 MiB',
      'llama_kv_cache:        CPU KV buffer size =  2000.00 MiB',
      'llama_context:  CUDA_Host compute buffer size =   100.00 MiB',
    );

    expect(found.bytes).toBe(8100 * MIB);
  });

  it.each([
    ['the file without mmap where nothing is on a card', '--no-mmap -ngl 0', [SIZE], 32 * GIB, undefined],
    [
      'the layers without mmap that are on no card',
      '--no-mmap -ngl 16',
      [SIZE, 'print_info: n_layer          = 31'],
      16 * GIB,
      undefined,
    ],
    ['no mapped file', '-ngl 0', [SIZE], undefined, undefined],
    [
      'the buffer where it is printed',
      '--no-mmap -ngl 0',
      [SIZE, 'load_tensors: CPU model buffer size = 9000.00 MiB'],
      9000 * MIB,
      undefined,
    ],
    [
      'what is named where its size is not known',
      '--no-mmap',
      [],
      undefined,
      'the file of the model, which --no-mmap reads into RAM',
    ],
  ])('has %s', async (_what, args, log, bytes, uncounted) => {
    const found = await factsOf(`llama-server -m m.gguf ${args}`, BUILD, ...log);

    expect(found.bytes).toBe(bytes);
    expect(found.uncounted).toBe(uncounted);
  });

  it('has the file that TGI converts, where its size is known', async () => {
    const begun =
      'WARN text_generation_launcher: No safetensors weights found for model m at revision None. Converting PyTorch weights to safetensors.';
    const args = (model: string) => `text-generation-launcher --model-id ${model} --num-shard 2`;

    const sized = await factsOf(
      args('meta-llama/Llama-3.1-70B-Instruct'),
      begun,
      'INFO text_generation_launcher: Convert: [1/10] -- Took: 0:00:15.45',
    );
    const unsized = await factsOf(args('acme/falcon'), begun);

    expect(sized.bytes).toBeCloseTo(2 * GIB + (70.6e9 * 2) / 10, -8);
    expect(sized.parts).toContain('one .bin file while it is converted');
    expect(sized.uncounted).toBeUndefined();
    expect(unsized.uncounted).toBe('the .bin file that is converted to safetensors');
  });
});
