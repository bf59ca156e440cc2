import { describe, expect, it } from 'vitest';
import { reckonBudget } from '../../src/app/budget/budget.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import { amountOf } from '../../src/budget/known-amount.ts';
import type { Budget } from '../../src/model/budget.ts';
import { GIB, MIB } from '../../src/model/quantity.ts';
import { aSnapshot, COMPILED_SIGNATURES } from '../playbooks/shipped.ts';
import { anAccount } from './accounts.ts';
import { BOOK, fitted } from './fits.ts';

const rowOf = ({ rows }: Budget, name: string) => {
  const bytes = rows.find((row) => row.name === name)?.bytes;
  return ((bytes === undefined ? undefined : amountOf(bytes)) ?? Number.NaN) / GIB;
};

// budget.md, section 2: kv = free - (1 - cuda_memory_fraction x TGI_WIGGLE_ROOM) x total.
describe('what TGI keeps back of its fraction', () => {
  const A10G = 23_028 * MIB;
  const tgi = (version: string | undefined, told: Readonly<Record<string, string>> = {}) =>
    anAccount({
      engine: 'tgi',
      version,
      told: { '--max-model-len': '1', ...told },
      figures: { totalBytes: A10G, kvAvailableBytes: undefined, kvTokens: 40_000, graphBytes: undefined },
    });

  it.each([
    ['3.3.5', {}, 20.24, 2.25],
    ['3.3.5', { '--cuda-memory-fraction': '0.8' }, 16.19, 6.3],
    ['3.3.5', { CUDA_MEMORY_FRACTION: '0.8' }, 16.19, 6.3],
    ['3.3.5', { CUDA_MEMORY_FRACTION: '0.8', '--cuda-memory-fraction': '1.0' }, 20.24, 2.25],
    ['3.3.5', { TGI_WIGGLE_ROOM: '0.85' }, 19.12, 3.37],
    // The server ends at its start with any other.
    ['3.3.5', { TGI_WIGGLE_ROOM: '1.2' }, 20.24, 2.25],
    ['3.2.0', {}, 20.91, 1.57],
    ['3.0.1', {}, 21.36, 1.12],
    [undefined, {}, 20.24, 2.25],
    // Before 3.0 it is a part of what is free, and lies inside.
    ['2.4.0', {}, 22.49, 0],
    ['2.2.0', { TGI_WIGGLE_ROOM: '0.5' }, 22.49, 0],
  ])('%s with %o', (version, told, share, outside) => {
    const budget = tgi(version, told);

    expect(rowOf(budget, 'engine share')).toBeCloseTo(share, 2);
    expect(rowOf(budget, 'reserve outside')).toBeCloseTo(outside, 2);
  });

  // Weights of 15 GiB, 5% and 0.6 GiB beside them, and activations of 3 GiB.
  it.each([
    ['3.3.5', 80 * 0.9 - 19.35],
    ['3.1.0', 80 * 0.93 - 19.35],
    ['2.4.1', (80 - 19.35) * 0.9],
    ['2.3.0', (80 - 19.35) * 0.95],
    ['2.2.0', (80 - 19.35) * 0.95],
    ['1.4.0', 80 - 19.35],
  ])('is not in the pool that is estimated for %s', (version, expected) => {
    const figures = {
      totalBytes: 80 * GIB,
      weightsBytes: 15 * GIB,
      kvAvailableBytes: undefined,
      kvTokens: undefined,
      activationBytes: undefined,
      nonTorchBytes: undefined,
    };

    const { kv } = anAccount({ engine: 'tgi', version, figures });

    expect((amountOf(kv.bytes) ?? Number.NaN) / GIB).toBeCloseTo(expected, 6);
  });

  it.each([
    // 1 - 1 GiB / 22.06 is 0.95, and the wiggle room leaves more than that.
    ['3.3.5', '1'],
    ['2.2.0', '0.95'],
  ])('bounds how far the fraction of %s is raised', (version, highest) => {
    const figures = {
      totalBytes: 22.06 * GIB,
      kvAvailableBytes: 0.2 * GIB,
      kvNeededBytes: 16 * GIB,
      maxModelLen: 32_768,
    };
    const told = { '--max-total-tokens': 32_768, '--cuda-memory-fraction': 0.9 };

    expect(fitted({ engine: 'tgi', version, direction: 'raise', figures, told })).toMatchObject({
      '--cuda-memory-fraction': highest,
    });
  });

  it('is read from the variables of the pod', async () => {
    const pod = {
      metadata: { name: 'tgi-0', namespace: 'llm' },
      spec: {
        containers: [
          {
            name: 'tgi',
            image: 'ghcr.io/huggingface/text-generation-inference:3.3.5',
            args: ['--model-id', 'meta-llama/Llama-3.1-8B-Instruct'],
            env: [
              { name: 'TGI_WIGGLE_ROOM', value: '0.8' },
              { name: 'CUDA_MEMORY_FRACTION', value: '0.9' },
            ],
          },
        ],
      },
    };
    const smi = 'index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA A10G, 20000 MiB, 23028 MiB\n';
    const source = aSnapshot({ 'pod.json': JSON.stringify(pod), 'nvidia-smi.txt': smi });
    const evidence = (of: typeof source) => readEngineEvidence(of, COMPILED_SIGNATURES, BOOK);

    const outcome = await reckonBudget(source, { book: BOOK, evidence });

    if (outcome.kind !== 'budget') throw new Error(outcome.kind);
    expect(outcome.budget.rows.find(({ name }) => name === 'engine share')?.note).toBe(
      '--cuda-memory-fraction 0.9 x TGI_WIGGLE_ROOM 0.8',
    );
    expect(rowOf(outcome.budget, 'engine share')).toBeCloseTo(22.085 * 0.72, 2);
  });
});
