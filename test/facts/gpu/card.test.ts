import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../../src/app/budget/engine-figures.ts';
import { readEngineEvidence } from '../../../src/app/triage/diagnose.ts';
import { GIB } from '../../../src/model/quantity.ts';
import { aSnapshot, COMPILED_SIGNATURES } from '../../playbooks/shipped.ts';
import { type Files, logged } from '../incident.ts';

const USE = 'index, name, memory.used [MiB]\n0, NVIDIA A10G, 20000 MiB\n';

const figures = async (files: Files) => figuresOf(await readEngineEvidence(aSnapshot(files), COMPILED_SIGNATURES));

describe('the memory of the card where no failure tells it', () => {
  it.each([
    [
      'the account of V0',
      'INFO 12-17 06:37:47 worker.py:241] the current vLLM instance can use total_gpu_memory (15.77GiB) x gpu_memory_utilization (0.90) = 14.20GiB',
    ],
    [
      'the check of what is free',
      'ValueError: Free memory on device cuda:0 (9.10/15.77 GiB) on startup is less than desired GPU memory utilization (0.9, 14.19 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.',
    ],
  ])('is what vLLM prints in %s', async (_where, line) => {
    expect((await figures({ 'args.txt': 'vllm serve acme/m\n', ...logged(line) })).totalBytes).toBe(15.77 * GIB);
  });

  // nvidia-smi shows 23,028 MiB of an A10G, CUDA 21.98 to 22.19 GiB.
  const A10G = ((21.98 + 22.19) / 2) * GIB;

  it.each([
    ['a note of the model', { 'incident.json': '{"gpu":{"model":"NVIDIA A10G"}}' }, A10G],
    ['a list of what is in use', { 'nvidia-smi.txt': USE }, A10G],
    ['a size beside the name', { 'incident.json': '{"gpu":{"model":"NVIDIA A10G","memory_gib":22}}' }, 22 * GIB],
    ['a name that several cards share', { 'incident.json': '{"gpu":{"model":"A100"}}' }, undefined],
    ['no name', {}, undefined],
  ])('is told by %s', async (_by, files, expected) => {
    expect((await figures({ 'args.txt': 'vllm serve acme/m\n', ...files })).totalBytes).toBe(expected);
  });

  it('is not what SGLang found free before its load, which is a figure of its own', async () => {
    const { totalBytes, loadFreeBytes } = await figures({
      'args.txt': 'python3 -m sglang.launch_server --model-path acme/m\n',
      'previous.log': '[2026-09-14 10:00:10] Load weight begin. avail mem=21.50 GB\n',
    });

    expect({ totalBytes, loadFreeBytes }).toEqual({ totalBytes: undefined, loadFreeBytes: 21.5 * GIB });
  });
});
