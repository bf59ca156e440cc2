import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (log: string, args = '', engine = 'vllm') =>
  verdictOfFiles({ ...logged(log), 'args.txt': `${args}\n`, ...known({ engine }) });

const EXPIRED =
  'WARNING 01-02 10:00:00 [nixl_connector.py:1021] Releasing expired KV blocks for request abc which were retrieved by 0 decode worker(s) within 480 seconds.';
const FAILED = '(VllmWorker TP0 pid=7) ERROR 01-02 10:00:09 [multiproc_executor.py:596] RuntimeError: BAD_STATUS';

it('a transfer of KV blocks that failed is not shown by the warning alone', async () => {
  expect(await verdictOf(EXPIRED)).toMatchObject({ cause: 'none.other' });
  expect(await verdictOf(`${FAILED}\n${EXPIRED}`)).toMatchObject({ cause: 'none.comm' });
});

const raised = (error: string) =>
  `Traceback (most recent call last):\n  File "/opt/vllm/v1/worker/gpu_worker.py", line 388, in determine_available_memory\n    self.model_runner.profile_run()\n${error}`;

it.each([
  ['a name that nothing sets', "NameError: name 'num_padded' is not defined", 'none.other'],
  ['a module that is not there', "ModuleNotFoundError: No module named 'flash_mla'", 'none.config'],
])('a fault of the code: %s', async (_, error, cause) => {
  expect(await verdictOf(raised(error))).toMatchObject({ plane: 'none', cause, certain: true });
});

const refused = (why: string) =>
  `ggml_cuda_host_malloc: failed to allocate 7214.06 MiB of pinned memory: ${why}\nSegmentation fault (core dumped)`;

it.each([
  ['invalid argument', 'none.driver'],
  ['out of memory', 'none.other'],
])('pages that llama.cpp could not lock for the reason %s', async (why, cause) => {
  expect(await verdictOf(refused(why), '', 'koboldcpp')).toMatchObject({ plane: 'none', cause, certain: false });
});

describe('a panic in the driver of the GPU', () => {
  const PANIC =
    'panic(cpu 6 caller 0xfffffe0031c5e79c): "completeMemory() prepare count underflow" @IOGPUMemory.cpp:550';

  it.each([
    ['alone', PANIC],
    ['with a pressure that is none', `${PANIC}\n# memory pressure in the monitor: green`],
  ])('is of the driver, %s', async (_, log) => {
    expect(await verdictOf(log, '', 'mlx-lm')).toMatchObject({ plane: 'none', cause: 'none.driver', certain: false });
  });

  it('says less where a want of RAM is noted below it', async () => {
    expect(await verdictOf(`${PANIC}\n# memory pressure was high before`, '', 'mlx-lm')).toMatchObject({
      certain: false,
    });
  });
});

it('a launch that Xinference refused says nothing of a model that is lost later', async () => {
  const log = [
    'RuntimeError: User specified GPU index 2 has been occupied with a vLLM model: yi-chat-1-0, therefore cannot allocate GPU memory for a new model.',
    '2026-07-10 14:00:20,100 xinference.core.worker 1 WARNING  Process 0.0.0.0:40123 is down.',
  ];

  expect(await verdictOf(log.join('\n'), '', 'xinference')).toMatchObject({ certain: false });
});
