import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (...lines: readonly string[]) =>
  verdictOfFiles({ ...logged(...lines), ...known({ uptime: 'startup' }) });

const MEETING =
  '  File "/usr/lib/python3/dist-packages/vllm/worker/worker.py", line 110, in init_worker_distributed_environment';
const LINKER = 'collect2: error: ld returned 1 exit status';
const TORCH = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity';
const DRIVER = 'halMemAlloc failed:size=2122688(bytes), type=2, moduleId=3, drvFlag=2, drvRetCode=6, device_id 7';

it('a program that a script looked for in passing decides nothing', async () => {
  expect(await verdictOf('Starting', 'sh: 1: lsmod: not found')).toMatchObject({ plane: 'unknown' });
});

it('the driver of an NPU says nothing of the card where memory of the host was asked for', async () => {
  expect((await verdictOf(`HostMemAlloc:[drv api] ${DRIVER}`)).plane).not.toBe('gpu');
});

it.each([
  ['gpu', [MEETING, TORCH]],
  ['gpu', [LINKER, TORCH]],
  [
    'host',
    [
      'slurmstepd: error: Detected 1 oom_kill event in StepId=7.0. Some of the step tasks have been OOM Killed.',
      'slurmstepd: error: *** JOB 7 ON node-1 CANCELLED AT 2026-07-02T16:04:53 DUE TO JOB REQUEUE ***',
    ],
  ],
  ['host', ['c++: fatal error: Killed signal terminated program cc1plus', LINKER]],
])('memory in the same log: %s', async (plane, lines) => {
  expect(await verdictOf(...lines)).toMatchObject({ plane });
});

describe('a kernel that wants more of the chip than it has', () => {
  const LACK =
    'out of resource: triton_mm Required: 131072 Hardware limit:101376 Reducing block sizes or `num_stages` may help.';

  it.each([
    [`torch._inductor.exc.InductorError: RuntimeError: No valid triton configs. OutOfMemoryError: ${LACK}`],
    [`torch.OutOfMemoryError: ${LACK}`],
  ])('lacks no memory of the card: %s', async (line) => {
    expect(await verdictOf('Starting', line)).toMatchObject({ plane: 'none', cause: 'none.other', certain: true });
  });

  it('proves nothing where the tuner leaves the choice out and goes on', async () => {
    const tried = `No valid triton configs. OutOfMemoryError: ${LACK}. `;

    const verdict = await verdictOf('Runtime error during autotuning: ', tried, 'Ignoring this choice.');

    expect(verdict).toMatchObject({ certain: false });
    expect(verdict.plane).not.toBe('gpu');
  });
});

describe('a capture that SGLang wraps with its list of remedies', () => {
  const ADVICE = 'Possible solutions:\n1. set --mem-fraction-static to a smaller value (e.g., 0.8 or 0.7)';
  const wrapped = (why: string) => `Exception: Capture cuda graph failed: ${why}\n${ADVICE}`;
  const DISPATCH = 'BatchDecodeWithPagedKVCachePyTorchWrapper::Plan(...) failed to dispatch head_dim 80';
  const GCC = "Command '['/usr/bin/gcc', '/tmp/main.c', '-O3']' returned non-zero exit status 1.";

  it.each([
    ['a shape that no kernel has', wrapped(DISPATCH), 'none.config'],
    ['the same, raised below', `RuntimeError: ${DISPATCH}\n${wrapped(DISPATCH)}`, 'none.config'],
    ['a compiler that fails', wrapped(GCC), 'none.other'],
    ['a compiler that fails, raised below', `subprocess.CalledProcessError: ${GCC}\n${wrapped(GCC)}`, 'none.other'],
  ])('failed for %s', async (_, log, cause) => {
    expect(await verdictOf('Capture cuda graph begin.', log)).toMatchObject({ plane: 'none', cause, certain: false });
  });

  it.each([['KVCache allocation failed'], ['cudaMalloc failed'], ['CUDA error: out of memory']])(
    'failed for memory where its reason is: %s',
    async (why) => {
      expect(await verdictOf('Capture cuda graph begin.', wrapped(why))).toMatchObject({
        plane: 'gpu',
        cause: 'gpu.startup.graph-capture',
      });
    },
  );
});
