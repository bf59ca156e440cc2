import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const SLEPT = [
  'INFO 04-22 16:40:31 [gpu_worker.py:81] Sleep mode freed 67.11 GiB memory, 2.04 GiB memory is still in use.',
  'INFO 04-22 16:40:31 [executor_base.py:210] It took 9.804113 seconds to fall asleep.',
  'INFO 04-22 16:41:55 [executor_base.py:219] It took 2.310974 seconds to wake up.',
];

async function diagnosed(metrics: string, log = SLEPT) {
  const files = {
    'previous.log': `${log.join('\n')}\n`,
    'metrics.txt': metrics,
    'incident.json': '{"uptime":"hours"}',
  };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

describe('RAM that a sleeping engine took', () => {
  it.each([
    ['in rows', 'free -g, column used\nbefore sleep   11\nasleep   43\nawake   43\n'],
    [
      'in one line, from the start on',
      '# free -g, column used: start 19, engine up 24, sleep(level=1) 53, wake_up 53\n',
    ],
    ['in one line', '# RAM used before sleep: 38 GiB; asleep: 101 GiB; two minutes after wake_up: 101 GiB\n'],
    ['in several units', '# RAM used before sleep: 900 MiB; asleep: 58 GiB; after wake_up: 58 GiB\n'],
  ])('and did not give back when it woke: %s', async (_, metrics) => {
    const { diagnosis } = await diagnosed(metrics);

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', cause: 'host.offload', certain: false });
  });

  it.each([
    ['it was given back', 'free -g, column used\nbefore sleep   11\nasleep   43\nawake   12\n', SLEPT],
    [
      'it fell, told in another unit',
      '# RAM used before sleep: 38 GiB; asleep: 900 MiB; after wake_up: 901 MiB\n',
      SLEPT,
    ],
    ['it did not rise', 'free -g, column used\nbefore sleep   41\nasleep   43\nawake   43\n', SLEPT],
    ['it is the memory of the card', 'VRAM in GiB\nbefore sleep   11\nasleep   43\nawake   43\n', SLEPT],
    ['nothing was read while it slept', 'free -g, column used\nbefore sleep   11\nawake   43\n', SLEPT],
  ])('tells nothing where %s', async (_, metrics, log) => {
    expect((await diagnosed(metrics, log)).facts.get('ram.kept-asleep')?.kind).not.toBe('known');
  });
});
