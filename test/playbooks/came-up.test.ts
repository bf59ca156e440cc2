import { describe, expect, it } from 'vitest';
import { diagnoseFiles } from '../facts/incident.ts';
import { ended, podFile } from '../facts/pod.ts';

const REFUSED =
  "(EngineCore_DP0 pid=62) ERROR 09-14 08:01:48 [core.py:708] ValueError: To serve at least one request with the models's max seq len (131072), (32.00 GiB KV cache is needed, which is larger than the available KV cache memory (9.20 GiB). Based on the available memory, the estimated maximum model length is 37680. Try increasing `gpu_memory_utilization` or decreasing `max_model_len` when initializing the engine.\n";

async function afterRefusal(now: object, ready: boolean) {
  const lastState = ended('Error', 1, '2026-09-14T08:00:00Z', '2026-09-14T08:01:50Z');
  const pod = podFile({
    container: { args: ['--model', 'acme/wren-32b', '--max-model-len', '131072'] },
    status: { ready, state: now, lastState },
  });
  const { diagnosis } = await diagnoseFiles({ ...pod, 'previous.log': REFUSED });
  const { cause, remedies } = diagnosis.verdict;
  return { cause, next: diagnosis.next[0], urgent: remedies.filter(({ kind }) => kind === 'stop-bleed') };
}

describe('a start that failed and went well since', () => {
  const running = { running: { startedAt: '2026-09-14T08:02:00Z' } };
  const waiting = { waiting: { reason: 'CrashLoopBackOff' } };

  it('is offered no values that could undo what cured it', async () => {
    const { cause, next, urgent } = await afterRefusal(running, true);

    expect(cause).toBe('gpu.startup.kv-room');
    expect(next).toContain('restarted and is ready now');
    expect(urgent).toEqual([]);
  });

  it.each([
    ['runs and is not ready yet', running],
    ['waits to be started again', waiting],
  ])('is no such one where the container %s', async (_, now) => {
    const { next, urgent } = await afterRefusal(now, false);

    expect(next).not.toContain('restarted');
    expect(urgent).not.toEqual([]);
  });
});
