import { describe, expect, it } from 'vitest';
import { fitLogits, isReportedAs } from '../../../src/facts/gpu/fit-logits.ts';
import { tablesInForce } from '../../../src/model/reference-tables.ts';
import { factsOfFiles, logged, valueOfFact } from '../incident.ts';

const MIB = 1024 ** 2;
const GIB = 1024 ** 3;

const oom = (want: string) =>
  `(EngineCore_DP0 pid=2) ERROR 09-14 10:47:10 [core.py:710] torch.OutOfMemoryError: CUDA out of memory. Tried to allocate ${want}. GPU 0 has a total capacity of 79.11 GiB of which 312.00 MiB is free. Of the allocated memory 73.12 GiB is allocated by PyTorch, and 402.11 MiB is reserved by PyTorch but unallocated.`;
const step = (tokens: string, total: number, prompt = 100) =>
  `(EngineCore_DP0 pid=2) ERROR 09-14 10:47:09 [dump_input.py:76] Dumping scheduler output for model execution: SchedulerOutput(scheduled_new_reqs=[NewRequestData(req_id=a,prompt_token_ids_len=${prompt},mm_features=[])], num_scheduled_tokens={${tokens}}, total_num_scheduled_tokens=${total})`;

async function logitsOf(args: string, ...lines: readonly string[]) {
  const facts = await factsOfFiles({ 'args.txt': `vllm serve ${args}\n`, ...logged(...lines) });
  return valueOfFact(facts, 'gpu.logits-of');
}

const QWEN3 = 'Qwen/Qwen3-8B --max-num-seqs 1024';
const NOTHING = 'nothing';

it.each([
  // 1024 x 151,936 x 4 = 593.5 MiB, rounded up to a whole step.
  ['of all sequences, rounded up', QWEN3, [oom('594.00 MiB')], 'sequences'],
  ['as the cudaMallocAsync allocator says it', QWEN3, [oom('593.50 MiB')], 'sequences'],
  ['a step less', QWEN3, [oom('592.00 MiB')], NOTHING],
  [
    'all tokens of a full step',
    'Qwen/Qwen2.5-7B-Instruct --max-num-batched-tokens 8192',
    [oom('4.64 GiB')],
    'batched-tokens',
  ],
  [
    'of a step that was dumped, its requests and not the bound',
    QWEN3,
    [step('a: 100', 100), oom('594.00 MiB')],
    NOTHING,
  ],
  ['the tokens of the step', QWEN3, [step('a: 1500, b: 47', 1547), oom('898.00 MiB')], 'step-tokens'],
  [
    'the vocabulary that is printed, whatever the name says',
    'acme/Qwen3-8B-resized --max-num-seqs 1024',
    ['INFO Model config Qwen3Config {', '  "vocab_size": 128256', '}', oom('502.00 MiB')],
    'sequences',
  ],
])('a request of the size of logits: %s', async (_, args, lines, expected) => {
  expect(await logitsOf(args, ...lines)).toBe(expected);
});

// A step of 2 MiB is a hundredth of 200 MiB, so a match is no proof; how often one comes by chance is measured here, with
// more rows than an incident names as a rule, and is what the weight of the fact rests on.
describe('a match by chance', () => {
  const ROWS = [256, 1024, 8192, 317, 1548].map((count) => ({ count, bytes: [4, 2, 8] }));
  const ranks = 4;
  const matches = (want: number) =>
    mean(
      tablesInForce().vocabularies.map(({ words }) =>
        Number(fitLogits({ want, words, ranks, rows: ROWS }).kind === 'fits'),
      ),
    );

  it('comes for fewer than 2 in 100 requests of any size', () => {
    const sizes = Array.from({ length: 4000 }, (_, i) => printed(20 * MIB * 2 ** (i / 400)));

    expect(mean(sizes.map(matches))).toBeLessThan(0.02);
  });

  it('comes for fewer than 1 in 100 requests of the shapes that layers have', () => {
    const widths = [2560, 3584, 4096, 5120, 8192, 11_008, 13_824, 14_336, 17_408, 18_944, 27_648, 28_672, 29_568];
    const tokens = [512, 1024, 2048, 4096, 8192, 16_384, 32_768];
    const sizes = widths.flatMap((w) => tokens.flatMap((t) => [1, 2, 4, 8].map((bytes) => printed(w * t * bytes))));

    expect(mean(sizes.map(matches))).toBeLessThan(0.01);
  });

  it('says of every true one that it fits, or that the size is one of many', () => {
    for (const { words } of tablesInForce().vocabularies) {
      for (const rows of ROWS) {
        const want = printed(rows.count * words * 4);
        expect(isReportedAs(rows.count * words * 4, want)).toBe(true);
        expect(fitLogits({ want, words, ranks, rows: [rows] }).kind).not.toBe('none');
      }
    }
  });
});

// c10/cuda/CUDACachingAllocator.cpp: get_allocation_size, format_size.
function printed(bytes: number): number {
  const size = bytes <= MIB ? 2 * MIB : bytes < 10 * MIB ? 20 * MIB : Math.ceil(bytes / (2 * MIB)) * 2 * MIB;
  const [unit, digits] = size <= GIB ? [MIB, 2] : [GIB, 2];
  return Number((size / unit).toFixed(digits)) * unit;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
