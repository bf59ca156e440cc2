import { describe, expect, it } from 'vitest';
import { known, logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (log: string, uptime = 'startup') => verdictOfFiles({ ...logged(log), ...known({ uptime }) });

const NCCL = '(Worker_TP0 pid=9) INFO 10-21 15:20:08 [pynccl.py:103] vLLM is using nccl==2.27.3';
const CUT = [
  '(EngineCore_DP0 pid=7) ERROR 10-21 15:20:08 [core.py:708] EngineCore failed to start.',
  '(EngineCore_DP0 pid=7) ERROR 10-21 15:20:08 [core.py:708] Traceback (most recent call last):',
  '(EngineCore_DP0 pid=7) ERROR 10-21 15:20:08 [core.py:708]     self._init_executor()',
].join('\n');

describe('the place at which a log breaks off', () => {
  it.each([['nothing more, of SGLang', '[2026-01-02 10:00:00 TP0] sglang is using nccl==2.21.5']])(
    'is where ranks connect, so communication is likeliest: %s',
    async (_, log) => {
      expect(await verdictOf(log)).toMatchObject({ plane: 'none', cause: 'none.comm', certain: false });
    },
  );

  it('says nothing of the ranks where they had connected, or where the error says what it is', async () => {
    const assigned =
      '(Worker_TP0 pid=9) INFO 10-21 15:20:09 [parallel_state.py:1208] rank 0 in world size 2 is assigned as DP rank 0';
    const free = `${CUT}\nValueError: Free memory on device cuda:0 (3.1/79.1 GiB) on startup is less than desired GPU memory utilization (0.9, 71.2 GiB).`;

    expect((await verdictOf(`${NCCL}\n${assigned}\n${CUT}`)).cause).not.toBe('none.comm');
    expect(await verdictOf(`${NCCL}\n${free}`)).toMatchObject({ plane: 'gpu' });
  });
});

describe('an engine that is gone when a batch is over', () => {
  const bar = (percent: number) => `Processed prompts: ${percent}%|████| 240/240 [00:09<00:00, 25.31it/s]`;
  const died =
    'ERROR 01-20 11:26:03 [core_client.py:605] Engine core proc EngineCore_DP0 died unexpectedly, shutting down client.';
  const asked = 'vllm.v1.engine.exceptions.EngineDeadError: EngineCore encountered an issue.';

  it.each([
    ['it was at work', [bar(40), died]],
    ['the next batch had begun', [bar(100), bar(0), died]],
    ['more requests were handed over', [bar(100), 'Adding requests: 100%|██| 9/9', died]],
    ['it was asked again', [bar(100), died, asked]],
  ])('says nothing where %s', async (_, lines) => {
    expect((await verdictOf(lines.join('\n'), 'minutes')).finding).not.toBe('none-work-done');
  });
});
