import { describe, expect, it } from 'vitest';
import { reckonBudget } from '../../src/app/budget/budget.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import { defaultIn, type Wrapping } from '../../src/budget/profiles.ts';
import { GIB } from '../../src/model/quantity.ts';
import { aSnapshot, COMPILED_SIGNATURES } from '../playbooks/shipped.ts';
import { BOOK } from './fits.ts';

// budget.md, section 6.
describe('the fraction that KAITO gives vLLM', () => {
  const fraction = (version: string, card: { totalBytes?: number; product?: string }, given?: Wrapping) =>
    defaultIn({
      engine: 'vllm',
      version: '0.9.0',
      flag: '--gpu-memory-utilization',
      card,
      wrapping: given ?? { engine: 'kaito', version },
    });
  const one = (value: number) => ({ low: value, high: value });

  it.each([
    ['0.4.4', 22.06, 'NVIDIA A10', one(0.95)],
    ['0.4.5', 15.77, 'Tesla T4', one(0.9)],
    ['0.6.2', 22.06, 'NVIDIA A10', one(0.93)],
    ['0.6.2', 79.2, 'NVIDIA-A100-SXM4-80GB', one(0.95)],
    ['0.7', 22.06, 'NVIDIA A10', one(0.84)],
    ['0.11', 79.2, 'NVIDIA-H100-80GB-HBM3', one(0.84)],
    ['0.12', 22.06, 'NVIDIA A10', one(0.82)],
    ['0.12', 79.2, 'NVIDIA-A100-SXM4-80GB', one(0.84)],
    ['0.12', 22.06, undefined, { low: 0.82, high: 0.84 }],
  ])('KAITO %s, %d GiB, %s', (version, gib, product, expected) => {
    expect(fraction(version, { totalBytes: gib * GIB, ...(product === undefined ? {} : { product }) })).toEqual(
      expected,
    );
  });

  it('is the engine’s own elsewhere', () => {
    expect(fraction('', {}, { engine: 'some-platform', version: '1.0' })).toEqual(one(0.9));
  });

  it('is counted with in the sums of a snapshot, unless an argument gives another', async () => {
    const log = [
      'INFO 05-01 10:00:00 [api_server.py:1] vLLM API server version 0.25.1',
      'INFO 05-01 10:00:01 inference_api.py:1] Try run profiler to find max available seq len',
      'INFO 05-01 10:01:40 [gpu_worker.py:298] Available KV cache memory: 20.00 GiB',
      '',
    ].join('\n');
    const files = (args: string) => ({
      'args.txt': `python3 /workspace/vllm/inference_api.py ${args}\n`,
      'previous.log': log,
    });
    const evidence = (source: ReturnType<typeof aSnapshot>) => readEngineEvidence(source, COMPILED_SIGNATURES, BOOK);
    const reckoned = async (args: string) => {
      const outcome = await reckonBudget(aSnapshot(files(args)), { book: BOOK, evidence });
      return outcome.kind === 'budget' ? outcome.budget.now.fraction : undefined;
    };

    expect(await reckoned('--model m')).toBe(0.84);
    expect(await reckoned('--model m --gpu-memory-utilization 0.7')).toBe(0.7);
  });
});
