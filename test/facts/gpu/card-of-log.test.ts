import { describe, expect, it } from 'vitest';
import { reckonBudget } from '../../../src/app/budget/budget.ts';
import { readEngineEvidence } from '../../../src/app/triage/diagnose.ts';
import { GIB, MIB } from '../../../src/model/quantity.ts';
import { BOOK } from '../../budget/fits.ts';
import { aSnapshot, COMPILED_SIGNATURES } from '../../playbooks/shipped.ts';
import { type Files, factsOfFiles, valueOfFact } from '../incident.ts';

const RTX = 'NVIDIA GeForce RTX 4090';
const device = (name: string, { index = 0, size = '' } = {}) =>
  `  Device ${index}: ${name}, compute capability 8.9, VMM: yes${size}`;
const taken = (name: string, { index = 0, mib = 24_120, id = '' } = {}) =>
  `llama_model_load_from_file_impl: using device CUDA${index} (${name})${id} - ${mib} MiB free`;
const WEIGHTS = 'load_tensors:        CUDA0 model buffer size = 18508.35 MiB';
const START = [WEIGHTS, 'llama_context: n_ctx         = 131072'];
const REFUSED = [
  'ggml_backend_cuda_buffer_type_alloc_buffer: allocating 32768.00 MiB on device 0: cudaMalloc failed: out of memory',
  'llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache',
];

const filesOf = (lines: readonly string[], more: Files = {}): Files => ({
  'args.txt': 'llama-server -m /models/m.gguf\n',
  'previous.log': `${[...lines, ...START, ...REFUSED].join('\n')}\n`,
  ...more,
});

async function valuesOf(lines: readonly string[], more: Files = {}) {
  const facts = await factsOfFiles(filesOf(lines, more));
  return (id: string) => {
    return valueOfFact(facts, id);
  };
}

const devicesOf = async (files: Files) => {
  const { figures } = await readEngineEvidence(aSnapshot(filesOf([], files)), COMPILED_SIGNATURES);
  return figures?.devices?.value;
};

describe('the card that ggml names', () => {
  it.each([
    ['where it takes it', [taken(RTX)], RTX, 24_564 * MIB],
    ['with its address', [taken(RTX, { id: ' (0000:01:00.0)' })], RTX, 24_564 * MIB],
    ['where it lists it', [device(RTX)], RTX, 24_564 * MIB],
    ['with its size', [device(RTX, { size: ', VRAM: 24079 MiB' })], RTX, 24_079 * MIB],
    ['with brackets of its own', [taken('AMD Radeon X (RADV NAVI31)')], 'AMD Radeon X (RADV NAVI31)', undefined],
    ['twice', [taken(RTX), taken(RTX, { index: 1 })], RTX, 24_564 * MIB],
    ['beside another', [device(RTX), device('NVIDIA GeForce RTX 3090', { index: 1 })], undefined, undefined],
  ])('is told %s', async (_how, lines, product, total) => {
    const value = await valuesOf(lines);

    expect(value('gpu.product')).toBe(product);
    expect(value('gpu.total')).toBe(total);
  });

  it('is none where something better tells it', async () => {
    const smi = 'index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA A10G, 20 MiB, 23028 MiB\n';

    const value = await valuesOf([taken(RTX)], { 'nvidia-smi.txt': smi });

    expect(value('gpu.product')).toBe('NVIDIA A10G');
    expect(value('gpu.total')).toBe(23_028 * MIB);
  });

  it.each([
    ['NVIDIA GB10', true],
    [RTX, false],
    ['AMD Radeon Graphics', undefined],
  ])('shares its memory with the CPU only as its name tells: %s', async (name, unified) => {
    expect((await valuesOf([taken(name)]))('gpu.unified')).toBe(unified);
  });

  it('is one of several where it lists more and takes none by name', async () => {
    const log = ['ggml_cuda_init: found 2 CUDA devices:', device(RTX), device(RTX, { index: 1 })];
    const alone = { 'previous.log': `${[...log, ...REFUSED].join('\n')}\n` };

    expect(await devicesOf(alone)).toBe(2);
    expect(await devicesOf({ 'previous.log': `${device(RTX)}\n${REFUSED[0]}\n` })).toBeUndefined();
  });

  it('leaves a context no more than was free of it', async () => {
    const fits = async (lines: readonly string[]) => (await valuesOf(lines))('advice.context-fit');

    // (holds - 18508.35 - 1024) MiB * 131072 / 32 GiB, of which 95 %, in blocks of 256.
    expect(await fits([taken(RTX, { mib: 22_000 })])).toBe(9216);
    expect(await fits([taken(RTX)])).toBe(17_408);
    expect(await fits([device(RTX)])).toBe(18_944);
    expect(await fits([taken('NVIDIA Nameless 9000', { mib: 22_000 })])).toBe(9216);
  });
});

describe('a budget of llama.cpp', () => {
  const deps = {
    book: BOOK,
    evidence: (source: ReturnType<typeof aSnapshot>) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK),
  };
  const rowsOf = async (lines: readonly string[]) => {
    const outcome = await reckonBudget(aSnapshot(filesOf(lines)), deps);
    if (outcome.kind !== 'budget') throw new Error(outcome.kind);
    return outcome.budget.rows.flatMap(({ name, bytes }) => (bytes.kind === 'known' ? [[name, bytes.value]] : []));
  };

  it('has the card of the log, and what was free of it', async () => {
    const rows = await rowsOf([taken(RTX)]);

    expect(rows).toContainEqual(['memory of the GPU', 24_564 * MIB]);
    expect(rows).toContainEqual(['free before loading', 24_120 * MIB]);
  });

  it('has no sum over cards as what was free of one', async () => {
    expect((await rowsOf([taken(RTX), taken(RTX, { index: 1 })])).map(([name]) => name)).not.toContain(
      'free before loading',
    );
  });

  it('has what was free alone of a card that no table knows', async () => {
    const rows = await rowsOf([taken('NVIDIA Nameless 9000', { mib: 22 * 1024 })]);

    expect(rows).toContainEqual(['free before loading', 22 * GIB]);
    expect(rows.map(([name]) => name)).not.toContain('memory of the GPU');
  });
});
