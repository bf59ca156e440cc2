import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { nextItems } from '../../../src/report/words/confidence.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES, judge } from '../../playbooks/shipped.ts';

type Files = Readonly<Record<string, string>>;

async function diagnosed(files: Files) {
  const { diagnosis } = await diagnoseSource(aSnapshot(files), { signatures: COMPILED_SIGNATURES, judge, book: BOOK });
  const said = nextItems(diagnosis).map((spans) => spans.map((span) => ('text' in span ? span.text : '')).join(''));
  return {
    profile: diagnosis.profile,
    said: said.find((line) => /--profile=|built-in profile/.test(line)),
    verdict: diagnosis.verdict,
  };
}

const OOM = (total: number, want: string) =>
  `torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of ${total} GiB of which 58.31 MiB is free. Including non-PyTorch memory, this process has ${total - 0.06} GiB memory in use. Of the allocated memory ${total - 1.4} GiB is allocated by PyTorch, and 12.00 MiB is reserved by PyTorch but unallocated.`;
const VERSION = 'INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0';
const POOL = (size: string) => `INFO 09-14 10:01:40 [gpu_worker.py:298] Available KV cache memory: ${size} GiB`;
const SERVED =
  'INFO:     Application startup complete.\nINFO:     10.0.0.7:58280 - "POST /v1/chat/completions HTTP/1.1" 200 OK';
const TOKENS = 'INFO 09-14 10:01:41 [kv_cache_utils.py:1087] GPU KV cache size: 196,800 tokens';

const serving = (args: string): Files => ({
  'args.txt': `vllm serve m --max-model-len 32768 --gpu-memory-utilization 0.9 ${args}\n`,
  'previous.log': `${[VERSION, POOL('24.02'), TOKENS, SERVED, OOM(79.1, '114.00 MiB')].join('\n')}\n`,
});

describe('the profile that goes with a finding', () => {
  it('is named by engine, version and class of card, with the values as they fit', async () => {
    const { profile, said, verdict } = await diagnosed(serving('--max-num-seqs 256'));

    const of = { engine: 'vllm', version: '0.11.0', class: { from: 32, below: null } };
    expect(profile).toMatchObject({ kind: 'fitted', name: 'emergency', ...of, proven: true });
    expect(said).toContain('--profile=emergency (vLLM 0.11.0 on a GPU of 32 GiB and more)');
    expect(said).toContain('--max-num-seqs 256 → 16');
    expect(said).toContain('fits, by the memory budget');
    // The profile has 0.75; the finding computed what was missing, and a flag has one value.
    expect(verdict.remedies.flatMap(({ edits }) => edits)).toMatchObject([
      { flag: '--gpu-memory-utilization', from: '0.9', to: '0.87' },
    ]);
    expect(said).toContain('--gpu-memory-utilization 0.9 → 0.87');
  });

  it('takes no value that is in force and safer already', async () => {
    const { said } = await diagnosed(serving('--max-num-seqs 8 --max-num-batched-tokens 16384'));

    expect(said).toContain('--max-num-batched-tokens 16384 → 8192');
    expect(said).not.toContain('--max-num-seqs');
  });

  it('is not told where it adds nothing to what the finding offers', async () => {
    const { profile, verdict } = await diagnosed(serving('--max-num-seqs 8'));

    expect(verdict.remedies.flatMap(({ edits }) => edits)).toMatchObject([{ to: '0.87' }]);
    expect(profile).toBeUndefined();
  });

  it('leaves out what the engine would not start with beside the value of the finding', async () => {
    const { profile } = await diagnosed({
      'args.txt':
        'text-generation-launcher --model-id acme/m --max-input-tokens 16000 --max-total-tokens 16384 --max-batch-prefill-tokens 16384\n',
      'previous.log':
        'text_generation_launcher: Error when initializing model\nRuntimeError: Not enough memory to handle 16384 prefill tokens. You need to decrease `--max-batch-prefill-tokens`\n',
      'incident.json': JSON.stringify({ engine: 'tgi', engine_version: '3.3.4' }),
    });

    // The profile has a length of 4,096: a prompt of 8,192 leaves no room for an answer in it.
    expect(profile).toMatchObject({
      name: 'conservative',
      edits: [
        { flag: '--max-batch-prefill-tokens', to: '8192' },
        { flag: '--max-input-tokens', to: '8192' },
        { flag: '--max-concurrent-requests', to: '32' },
      ],
    });
  });

  it('is said to be none where the engine would start with none', async () => {
    const { profile, said } = await diagnosed({
      'args.txt': 'vllm serve meta-llama/Llama-3.1-8B-Instruct --max-model-len 8192\n',
      'nvidia-smi.txt':
        'index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA X, 400 MiB, 15944 MiB, 5 %\n',
      'previous.log': `${VERSION}\nValueError: No available memory for the cache blocks. Try increasing \`gpu_memory_utilization\` when initializing the engine.\n`,
    });

    expect(profile).toMatchObject({ kind: 'none-starts' });
    expect(said).toMatch(/^No built-in profile for vLLM 0\.11\.0/);
    expect(said).toContain('performance: it would not start with a length of 1,024 tokens');
  });

  const refused = (args: string): Files => ({
    'args.txt': `vllm serve acme/m ${args}\n`,
    'previous.log': `${VERSION}\nValueError: No available memory for the cache blocks. Try increasing \`gpu_memory_utilization\` when initializing the engine.\n`,
  });

  it.each([
    ['where it shortens the length', '--max-model-len 131072 --max-num-seqs 256', 'performance', '131072 → 32768'],
    ['where another shortens it', '--max-model-len 16384 --max-num-seqs 256', 'conservative', '16384 → '],
    ['where it lowers the sequences alone', '--max-model-len 2048 --max-num-seqs 256', undefined, undefined],
  ])('of a refusal that no sum decides is named %s', async (_what, args, name, told) => {
    const { profile, said, verdict } = await diagnosed(refused(args));

    expect(verdict.cause).toBe('gpu.startup.kv-room');
    expect(profile?.name).toBe(name);
    if (told !== undefined) expect(said).toContain(told);
  });

  it('of SGLang has a fraction of what was free before its load', async () => {
    const files = (...begin: readonly string[]): Files => ({
      'args.txt':
        'python -m sglang.launch_server --model-path acme/falcon-7b --mem-fraction-static 0.6 --max-running-requests 256\n',
      'previous.log': [
        ...begin,
        '[2026-09-14 10:00:40] Load weight end. type=X, dtype=torch.bfloat16, avail mem=6.50 GB, mem usage=15.00 GB.',
        'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n',
      ].join('\n'),
    });

    const { said } = await diagnosed(files('[2026-09-14 10:00:10] Load weight begin. avail mem=21.50 GB'));

    // The load took 0.70 of it.
    expect(said).toContain(
      '--mem-fraction-static 0.6 → 0.72, --max-running-requests 256 → 64, if nothing else uses the GPU; fits, by the memory budget',
    );
    expect((await diagnosed(files())).profile).toBeUndefined();
  });

  it('is not told where the sums show a start as it is, and yet it was refused', async () => {
    const { profile, verdict } = await diagnosed({
      'args.txt':
        'python -m sglang.launch_server --model-path acme/falcon-7b --mem-fraction-static 0.8 --context-length 131072\n',
      'previous.log': [
        '[2026-09-14 10:00:10] Load weight begin. avail mem=78.50 GB',
        '[2026-09-14 10:00:40] Load weight end. type=X, dtype=torch.bfloat16, avail mem=45.50 GB, mem usage=33.00 GB.',
        '[2026-09-14 10:00:41] KV Cache is allocated. #tokens: 465890, K size: 14.22 GB, V size: 14.22 GB',
        'RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.\n',
      ].join('\n'),
    });

    expect(verdict.cause).toBe('gpu.startup.kv-room');
    // Its length is not held against the pool, so a shorter one cures nothing.
    expect(profile).toBeUndefined();
  });

  it('of a refusal is named where the sums show that the engine starts with it', async () => {
    const { profile } = await diagnosed({
      'args.txt': 'vllm serve acme/m --max-model-len 8192 --max-num-seqs 1024 --gpu-memory-utilization 0.9\n',
      'previous.log': [
        VERSION,
        POOL('0.90'),
        "ValueError: To serve at least one request with the models's max seq len (8192), (1.0 GiB KV cache is needed, which is larger than the available KV cache memory (0.9 GiB). Based on the available memory, the estimated maximum model length is 7360. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.",
        '',
      ].join('\n'),
      'nvidia-smi.txt':
        'index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA X, 400 MiB, 15944 MiB, 5 %\n',
    });

    expect(profile).toMatchObject({ kind: 'fitted', proven: true });
  });

  it('makes no pool smaller that had no room for the requests', async () => {
    const { profile, verdict } = await diagnosed({
      'args.txt':
        'python -m sglang.launch_server --model-path acme/falcon-7b --mem-fraction-static 0.9 --chunked-prefill-size 16384\n',
      'incident.json': JSON.stringify({ engine: 'sglang', engine_version: '0.5.3' }),
      'nvidia-smi.txt':
        'index, name, memory.used [MiB], memory.total [MiB], utilization.gpu [%]\n0, NVIDIA X, 400 MiB, 81559 MiB, 5 %\n',
      'previous.log': [
        '[2026-09-14 10:40:00] The server is fired up and ready to roll!',
        '[2026-09-14 10:45:00] INFO:     10.1.2.3:40412 - "POST /generate HTTP/1.1" 200 OK',
        '[2026-09-14 10:46:09] RuntimeError: Decode out of memory. Try to lower your batch size.\n',
      ].join('\n'),
    });

    expect(verdict.finding).toBe('gpu-burst-pool');
    expect(profile).toMatchObject({ name: 'emergency', edits: [{ flag: '--chunked-prefill-size' }] });
  });

  it('is not told where arguments are not at fault', async () => {
    const { profile, verdict } = await diagnosed({
      'args.txt': 'vllm serve m --gpu-memory-utilization 0.9\n',
      'describe.txt': 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\n',
    });

    expect(verdict.plane).toBe('host');
    expect(profile).toBeUndefined();
  });
});
