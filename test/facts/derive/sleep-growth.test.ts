import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const slept = (used: number, pid = 51922) =>
  `(WorkerDict pid=${pid}) INFO 10-27 05:10:44 [gpu_worker.py:121] Sleep mode freed 51.06 GiB memory, ${used} GiB memory is still in use.`;

async function diagnosed(lines: readonly string[]) {
  const files = { 'previous.log': `${lines.join('\n')}\n`, 'incident.json': '{"engine":"vllm","uptime":"hours"}' };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

describe('what is still in use while vLLM sleeps', () => {
  it('is a leak where it rises from one sleep to the next', async () => {
    const { diagnosis } = await diagnosed([3.92, 6.24, 8.57, 13.25].map((used) => slept(used)));

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', cause: 'gpu.chronic.leak', certain: false });
  });

  it.each([
    ['stays as it is', [3.92, 3.92, 3.92, 3.92].map((used) => slept(used))],
    ['comes to a rest after the first step of a trainer', [3.92, 12.1, 12.2, 12.3].map((used) => slept(used))],
    ['falls in between', [3.92, 8.57, 6.24, 13.25].map((used) => slept(used))],
    ['was read three times alone', [3.92, 6.24, 8.57].map((used) => slept(used))],
    ['rises by what rounding makes', [3.92, 3.93, 3.94, 3.95].map((used) => slept(used))],
    ['differs between workers', [slept(3.9, 1), slept(4.9, 2), slept(5.9, 3), slept(6.9, 4)]],
  ])('is none where it %s', async (_name, lines) => {
    const { facts } = await diagnosed(lines);

    expect(facts.get('gpu.growth-noted')).not.toMatchObject({ value: true });
  });
});
