import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (lines: readonly string[], uptime?: string) =>
  verdictOfFiles({ ...logged(...lines), ...known({ uptime }) });

const LOAD = 'Loading checkpoint shards:  33%|███▎      | 1/3 [00:06<00:13,  6.78s/it]';

describe('a process that its shell saw killed', () => {
  it.each([
    ['alone on its line', [LOAD, 'Killed']],
    ['behind a bar of progress', [`${LOAD}Killed`]],
    ['in another language', [LOAD, 'Getötet']],
    ['by the script that started it', [LOAD, './run.sh: line 48:    28 Killed                  python -m engine']],
  ])('is most often RAM, and proves no more than a kill: %s', async (_, lines) => {
    expect(await verdictOf(lines)).toMatchObject({ plane: 'host', phase: 'startup', certain: false });
  });

  it.each([
    [
      'an engine that ends its own workers',
      [LOAD, 'CRITICAL [core_client.py:359] Got fatal signal from worker', 'Killed'],
    ],
    ['an error before', [LOAD, 'Traceback (most recent call last):', '  File "/opt/e.py", line 8, in run', 'Killed']],
    ['a job in the background', [LOAD, "Job 1, 'python privateGPT.py &' terminated by signal SIGKILL (Forced quit)"]],
    ['one that was told to stop', ['INFO: Finished server process [1]', 'Killed']],
  ])('proves nothing: %s', async (_, lines) => {
    expect(await verdictOf(lines, 'startup')).toMatchObject({ certain: false });
  });

  it('does not outweigh what decides', async () => {
    expect(await verdictOf(['RuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB', 'Killed'])).toMatchObject({
      plane: 'gpu',
    });
  });
});

describe('a bus error', () => {
  const FULL = 'shm                64M   64M     0 100% /dev/shm';

  it('on a full /dev/shm proves that shared memory did not suffice', async () => {
    expect(await verdictOf(['Fatal Python error: Bus error', FULL], 'startup')).toMatchObject({
      plane: 'host',
      cause: 'host.shm',
      certain: true,
    });
  });

  it.each([
    ['there is room left', ['Fatal Python error: Bus error', 'shm                64M   31M   33M  48% /dev/shm']],
    [
      'files of weights were being read',
      ['Fatal Python error: Bus error', '  File "/opt/weight_utils.py", line 8 in safetensors_weights_iterator', FULL],
    ],
  ])('proves nothing where %s', async (_, lines) => {
    expect(await verdictOf(lines, 'startup')).toMatchObject({ certain: false });
  });
});

describe('cores of vLLM that ended while the start waited for them', () => {
  const failed = (codes: string) => [
    'Loading safetensors checkpoint shards (eager):  25% Completed | 3/12 [00:31<01:34, 10.52s/it]',
    'Traceback (most recent call last):',
    `RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): ${codes}`,
  ];

  it('lead to RAM where one ended by signal 9', async () => {
    expect(await verdictOf(failed("{'EngineCore': -9}"), 'startup')).toMatchObject({
      plane: 'host',
      cause: 'host.startup.weight-staging',
      certain: false,
    });
  });

  it.each([["{'EngineCore': 1}"], ["{'EngineCore': -4}"], ['{}']])('do not otherwise: %s', async (codes) => {
    expect((await verdictOf(failed(codes), 'startup')).plane).not.toBe('host');
  });
});
