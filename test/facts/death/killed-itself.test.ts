import { describe, expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../incident.ts';
import { ended, podFile, running } from '../pod.ts';

const POD = podFile({
  container: { name: 'sglang', image: 'lmsysorg/sglang:v0.5.3', args: ['--model-path', 'm'] },
  status: {
    state: running('2026-11-20T12:47:00Z'),
    lastState: ended('Error', 137, '2026-11-20T10:00:00Z', '2026-11-20T12:46:20Z'),
  },
});
const READY = '[2026-11-20 10:01:50] The server is fired up and ready to roll!';
const WORKS =
  '[2026-11-20 12:41:11 TP0] Decode batch. #running-req: 33, #token: 51203, token usage: 0.13, gen throughput (token/s): 1201.42, #queue-req: 0';
const HUNG = '[2026-11-20 12:46:12 TP0] Watchdog timeout (self.watchdog_timeout=300)';
const QUITS = '[2026-11-20 12:46:17] Received sigquit from a child process. It usually means the child failed.';

const diagnosed = (...lines: readonly string[]) => diagnoseFiles({ ...logged(...lines), ...POD });

describe('exit code 137 of a server whose watchdog ended it', () => {
  it('is no kill that nothing explains', async () => {
    const { facts, diagnosis } = await diagnosed(READY, WORKS, HUNG, QUITS);

    expect(facts.get('death.killed-unexplained')).toMatchObject({ value: false });
    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.comm', certain: false });
  });

  it('near miss: a child that is gone without such a word may have been killed', async () => {
    const { facts, diagnosis } = await diagnosed(READY, WORKS, QUITS);

    expect(facts.get('death.killed-unexplained')).toMatchObject({ value: true });
    expect(diagnosis.verdict.plane).toBe('host');
  });
});
