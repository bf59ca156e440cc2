import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const WELL = '# the pod shows 100 % of its memory since the model was loaded. RESTARTS 0\n';

async function shareOf(metrics: string) {
  const { facts } = await diagnoseSource(aSnapshot({ 'metrics.txt': metrics }), { phrases: COMPILED_PHRASES, judge });
  const fact = facts.get('ram.page-cache-share');
  return fact?.kind === 'known' ? Math.round(Number(fact.value) * 100) : undefined;
}

describe('page cache of a container', () => {
  it.each([
    [
      'in a table, the row that holds least of it',
      89,
      'limit    rss      cache\n40Gi     4.3Gi    35.6Gi\n120Gi    4.3Gi    97.9Gi\n',
    ],
    ['in memory.stat of version 1', 90, 'cache 36507222016\nrss 4056358002\n'],
    ['in memory.stat of version 2', 90, 'anon 4056358002\nfile 36507222016\nfile_mapped 1048576\n'],
    [
      'in metrics of cAdvisor',
      90,
      'container_memory_cache{pod="a"} 36507222016\ncontainer_memory_rss{pod="a"} 4056358002\n',
    ],
    ['in words', 80, 'rss: 8 GiB\npage cache: 32 GiB\n'],
  ])('is read %s', async (_, share, metrics) => {
    expect(await shareOf(metrics)).toBe(share);
  });

  it.each([
    ['rss 4056358002\nmapped_file 36507222016\n'],
    ['rss   kv cache\n4.3Gi   35.6Gi\n'],
    ['cache 36507222016\n'],
  ])('is none of another cache, nor half of it: %s', async (metrics) => {
    expect(await shareOf(metrics)).toBeUndefined();
  });

  it('that fills it is no want of memory where nothing ended', async () => {
    const metrics = 'limit    rss      cache\n40Gi     4.3Gi    35.6Gi\n120Gi    4.3Gi    97.9Gi\n';
    const incident = JSON.stringify({ engine: 'vllm', uptime: 'hours' });
    const verdictOf = async (files: Record<string, string>) =>
      (await diagnoseSource(aSnapshot({ 'incident.json': incident, ...files }), { phrases: COMPILED_PHRASES, judge }))
        .diagnosis.verdict;

    expect(await verdictOf({ 'metrics.txt': metrics, 'previous.log': WELL })).toMatchObject({
      finding: 'none-page-cache',
      certain: false,
    });
    expect(
      await verdictOf({
        'metrics.txt': metrics,
        'describe.txt': 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\n',
      }),
    ).toMatchObject({ plane: 'host' });
  });
});
