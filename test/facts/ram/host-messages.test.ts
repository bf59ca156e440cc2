import { describe, expect, it } from 'vitest';
import { type Files, known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (files: Files, uptime = 'startup') => verdictOfFiles({ ...files, ...known({ uptime }) });

const ofLog = (line: string, uptime?: string) => verdictOf(logged(line), uptime);

describe('host memory, as those say who watch over a process', () => {
  it.each([
    [
      'slurmstepd: error: Detected 1 oom_kill event in StepId=7.batch. Some of the step tasks have been OOM Killed.',
      true,
    ],
    ['OCI runtime create failed: container init was OOM-killed (memory limit too low?): unknown', true],
    ['vllm exited with code 137', false],
    // In words that no signature knows.
    ['the job was OOM killed by the platform', false],
  ])('%s, certain: %s', async (line, certain) => {
    expect(await ofLog(line)).toMatchObject({ plane: 'host', certain });
  });

  it('a file that could not be mapped is of shared memory', async () => {
    const line = 'RuntimeError: unable to mmap 1048576 bytes from file </torch_18_19>: Cannot allocate memory (12)';

    expect(await ofLog(line, 'hours')).toMatchObject({ plane: 'host', cause: 'host.shm' });
  });
});

it.each([
  [
    'a card that may not lock pages',
    'NCCL WARN Call to ibv_reg_mr failed with error Cannot allocate memory',
    'none.comm',
  ],
  ['a full disk', "OSError: [Errno 28] No space left on device: '/root/.cache/hub/x.incomplete'", 'none.other'],
  ['a heap that was written over', 'malloc(): corrupted top size', 'none.other'],
])('words of memory about something else: %s', async (_name, line, cause) => {
  expect(await ofLog(line)).toMatchObject({ plane: 'none', cause });
});

it.each([
  'Loading checkpoint shards: 100%|██████████| 8/8 [00:51<00:00, 10.18s/it]',
  'Loading checkpoint shards:  62%|██████    | 5/8 [00:51<00:30, 10.18s/it]\nthe engine says goodbye',
  'Loading checkpoint shards:  62%|██████    | 5/8 [00:51<00:30, 10.18s/it]\nRuntimeError: the widget is odd',
])('a start without a last word is not one that came further: %s', async (log) => {
  expect((await ofLog(log)).plane).not.toBe('host');
});

const frame = (code: string) => `  File "/app/memory.py", line 12, in __init__\n    ${code}\n       ^^^^\n`;
const invalid = 'RuntimeError: CUDA error: invalid argument';

it.each([
  [
    'an invalid argument in a frame further in',
    `${frame('buffer = torch.empty(size, pin_memory=True)')}${frame('launch(grid)')}${invalid}`,
  ],
  ['an invalid argument of a kernel', `${frame('launch(grid)')}${invalid}`],
  [
    'another error of that frame',
    `${frame('buffer = torch.empty(size, pin_memory=True)')}TypeError: empty() got an unexpected keyword`,
  ],
  [
    'no driver to lock pages with',
    'W1 pinned_memory_manager.cc:236] Unable to allocate pinned system memory, pinned memory pool will not be available: CUDA driver version is insufficient for CUDA runtime version',
  ],
])('page-locked memory was not short: %s', async (_name, log) => {
  expect((await ofLog(log)).plane).not.toBe('host');
});
