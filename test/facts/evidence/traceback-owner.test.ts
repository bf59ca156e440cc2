import { describe, expect, it } from 'vitest';
import { diagnoseFiles, logged, valueOfFact } from '../incident.ts';

async function judged(...lines: readonly string[]) {
  const { diagnosis, facts } = await diagnoseFiles(logged(...lines));
  return { verdict: diagnosis.verdict, stage: valueOfFact(facts, 'log.stage') };
}

const frame = (who: string) =>
  `(${who}) ERROR 03-20 17:39:14 [core.py:1100]   File "/opt/vllm/v1/attention/ops/vit_attn_wrappers.py", line 236, in vit_torch_sdpa_wrapper`;
const WAITS = [
  '(APIServer pid=7)   File "/opt/vllm/v1/engine/utils.py", line 1010, in wait_for_engine_startup',
  '(APIServer pid=7) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}',
];

describe('a traceback above an error that only repeats a death', () => {
  it('is its own where another process speaks, and the stage is read of it', async () => {
    expect((await judged(frame('EngineCore_DP0 pid=43'), ...WAITS)).stage).toBe('encoder');
  });

  const REFUSED =
    '(EngineCore_DP0 pid=43) ERROR 03-20 17:39:15 [core.py:1100] torch.OutOfMemoryError: HIP out of memory. Tried to allocate 192.00 GiB. GPU 0 has a total capacity of 63.98 GiB of which 61.53 GiB is free.';
  const FATAL = '(EngineCore_DP0 pid=43) ERROR 03-20 17:39:13 [core.py:1100] EngineCore encountered a fatal error.';

  it('is of a trial run where the engine is told not to have come up', async () => {
    expect((await judged(frame('EngineCore_DP0 pid=43'), REFUSED, ...WAITS)).verdict).toMatchObject({
      plane: 'gpu',
      phase: 'startup',
      cause: 'gpu.startup.profiling',
    });
  });

  it('is of a request where the engine that ran says so nearer to it, and dates nothing alone', async () => {
    const alone = await judged(frame('EngineCore_DP0 pid=43'), REFUSED);
    const ran = await judged(FATAL, frame('EngineCore_DP0 pid=43'), REFUSED, 'restarting', 'restarting', ...WAITS);
    expect(alone.verdict).toMatchObject({ plane: 'gpu', phase: 'n/a' });
    expect(ran.verdict).toMatchObject({ plane: 'gpu', phase: 'burst' });
  });

  it('is that of who waited where the same process speaks', async () => {
    expect((await judged(frame('APIServer pid=7'), ...WAITS)).stage).toBe('nothing');
  });
});

const killed =
  'Memory on the node ( ID: 37f3) where the task (actor ID: 658f, name=Some.__init__, pid=5315, memory used=1.67GB) was running was 445.48GB / 468.75GB (0.950365), which exceeds the memory usage threshold of 0.95. Ray killed this worker (ID: 3842) because it was the most recently scheduled task';
const listed = ['PID\tMEM(GB)\tCOMMAND', '5310\t211.00\tray::SomeActor', '5311\t151.00\tray::SomeActor'];

it('processes that Ray lists at a kill of its monitor date it by no method where they are in none', async () => {
  expect((await judged(killed, ...listed)).verdict).toMatchObject({ plane: 'host', phase: 'n/a', certain: true });
});
