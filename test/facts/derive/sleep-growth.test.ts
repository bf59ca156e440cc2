import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const slept = (used: number, pid = 51922) =>
  `(WorkerDict pid=${pid}) INFO 10-27 05:10:44 [gpu_worker.py:121] Sleep mode freed 51.06 GiB memory, ${used} GiB memory is still in use.`;

async function diagnosed(lines: readonly string[], uptime = 'hours') {
  const files = {
    'previous.log': `${lines.join('\n')}\n`,
    'incident.json': JSON.stringify({ engine: 'vllm', uptime }),
  };
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

describe('a trainer that runs out while vLLM sleeps', () => {
  const sleep = (freed: string, used: string) =>
    `(WorkerDict pid=91122) INFO 03-01 10:07:44 worker.py:133] Sleep mode freed ${freed} GiB memory, ${used} GiB memory is still in use.
(WorkerDict pid=91122) INFO 03-01 10:07:44 executor_base.py:208] It took 0.000491 seconds to fall asleep.`;
  const woke = '(WorkerDict pid=91122) INFO 03-01 10:08:44 executor_base.py:219] It took 0.8 seconds to wake up.';
  const oom =
    '(WorkerDict pid=91122) torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.32 GiB. GPU 0 has a total capacity of 79.15 GiB of which 1.07 GiB is free.';

  it.each([
    ['meets what the sleep did not give back', [sleep('0.00', '52.86'), oom], 'gpu.startup.shared-gpu'],
    ['fills what the sleep gave back', [sleep('40.00', '12.86'), oom], 'gpu.burst.long-context'],
    ['is the engine itself once it woke', [sleep('0.00', '52.86'), woke, oom], 'gpu.burst.long-context'],
    ['is not there before the sleep', [oom, sleep('0.00', '52.86')], 'gpu.burst.long-context'],
  ])('%s', async (_name, lines, cause) => {
    const { diagnosis } = await diagnosed(lines, 'minutes');

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase: 'burst', cause, certain: true });
  });
});
