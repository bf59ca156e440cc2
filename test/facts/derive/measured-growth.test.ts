import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { howSure } from '../../../src/report/words/confidence.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function told(files: Readonly<Record<string, string>>): Promise<string> {
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  return `${diagnosis.verdict.plane}: ${howSure(diagnosis, facts).split('.')[0]}`;
}

const ROWS = 'hours   RSS of EngineCore (GiB)\n0    11.2\n6    18.9\n12   27.4\n24   43.0\n36   58.8\n';

describe('a memory that was measured as it grew', () => {
  it.each([
    ['host: Certain: RAM rose while serving', 'RAM, by rows of hours', ROWS],
    [
      'gpu: Certain: GPU memory rose while serving',
      'the card, by readings of each night',
      'DCGM_FI_DEV_FB_USED (MiB), 04:00 each night, 0 requests running\n2026-04-24  71804\n2026-04-25  74190\n2026-04-26  76633\n2026-04-27  79012\n',
    ],
    [
      'host: Certain: RAM rose while serving',
      'in a line that tells what each request keeps',
      'first PP rank: ~23-40 MB of host RAM per request, never freed; host RAM 62 GB\n',
    ],
  ])('%s: %s', async (says, _of, metrics) => {
    expect(await told({ 'metrics.txt': metrics })).toBe(says);
  });

  it.each([
    ['in a remark', { 'previous.log': '# RSS was 11 GiB at the start and 58 GiB 36 hours later\n' }],
    ['in two readings', { 'metrics.txt': 'hours   RSS (GiB)\n0    11.2\n36   58.8\n' }],
    ['in two sizes of one line', { 'metrics.txt': 'RSS was 11 GiB at the start and 58 GiB 36 hours later\n' }],
    [
      'in a rate of a memory that it does not name',
      { 'metrics.txt': 'for every 1000 prompts, the memory usage will increase 0.1%\n' },
    ],
    [
      'where a remark alone names the memory',
      {
        'metrics.txt': 'day 0   9.8 GB\nday 1   14.1 GB\nday 2   17.7 GB\nday 4   24.0 GB\n',
        'previous.log': '# RSS of the process\n',
      },
    ],
    [
      'in what a program raises',
      { 'previous.log': 'AssertionError: GPU memory in use increased by 3 GiB after each wake of the engine.\n' },
    ],
    ['in words alone', { 'metrics.txt': 'host memory grows slowly with each request and is never released\n' }],
    [
      'by as little as a few requests take',
      {
        'metrics.txt':
          'request   VmRSS kB\n1    5120348\n2    5144660\n3    5168996\n4    5193304\n6    5241948\n8    5290572\n',
      },
    ],
    [
      'beside an error that ended the process',
      { 'metrics.txt': ROWS, 'previous.log': 'Traceback (most recent call last):\nValueError: unknown tokenizer\n' },
    ],
  ])('is no proof %s', async (_how, files) => {
    expect(await told(files)).not.toContain('Certain: container RAM');
  });
});
