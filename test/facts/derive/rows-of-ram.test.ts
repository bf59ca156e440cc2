import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function factsOf(files: Readonly<Record<string, string>>) {
  return (await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge })).facts;
}

describe('readings of ranks', () => {
  const ROWS = 'rank 0: 67.7 GB\nrank 1: 67.6 GB\n';

  it.each([
    ['RSS of the workers', 2],
    ['RAM of the node 2 TB', undefined],
    ['RAM check ok', undefined],
  ])('are of RAM that they hold below "%s"', async (head, workers) => {
    const facts = await factsOf({
      'previous.log': 'Loading pt checkpoint shards:  38% Completed | 3/8\nKilled\n',
      'metrics.txt': `${head}\n${ROWS}`,
    });
    const found = facts.get('ram.equal-workers');
    expect(found?.kind === 'known' ? found.value : undefined).toBe(workers);
  });
});

describe('rows of a memory', () => {
  const RISE = 'time  RSS GiB\n08:00  10.1\n08:20  14.2\n08:40  18.0\n08:55  22.0\n';

  it.each([
    [`${RISE}09:10  killed\n`, true],
    [`${RISE}14:00  killed\n`, false],
    [`${RISE}09:10  rollout, old pod killed by us\n`, false],
    [`${RISE}09:10  exited 0, scaled down\n`, false],
    ['RSS of the server\nimage 1 600 MiB\nimage 2 700 MiB\nimage 3 800 MiB\nimage 4 900 MiB\nimage 5 990 MiB\n', true],
  ])('%s', async (rows, grows) => {
    const facts = await factsOf({
      'previous.log': 'INFO:     Application startup complete.\n',
      'nvidia-smi.txt': rows,
    });
    const found = facts.get('ram.growth-noted');
    expect(found?.kind === 'known' && found.value).toBe(grows);
  });
});
