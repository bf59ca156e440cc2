import { describe, expect, it } from 'vitest';
import { diagnoseFiles } from '../facts/incident.ts';
import { ended, podFile } from '../facts/pod.ts';

const GIB = 2 ** 30;
const MINUTE = 60_000;
const DIED = Date.parse('2026-09-14T20:00:00Z');

const POD = podFile({
  container: { args: ['--model', 'acme/falcon-9b'], resources: { limits: { memory: '48Gi' } } },
  status: { restartCount: 3, lastState: ended('OOMKilled', 137, '2026-09-14T10:00:00Z', new Date(DIED).toISOString()) },
});

const LOG = [
  'INFO 09-14 10:00:02 [api_server.py:1896] vLLM API server version 0.11.0',
  '(APIServer pid=1) INFO:     Application startup complete.',
  '(APIServer pid=1) INFO:     10.1.2.3:40412 - "POST /v1/chat/completions HTTP/1.1" 200 OK\n',
].join('\n');

/** GiB by minute, of which the last is `endsBefore` minutes before the death. */
function aCourse(gib: readonly number[], endsBefore = 0): string {
  const last = DIED - endsBefore * MINUTE;
  const points = gib.map((value, i) => [last - (gib.length - 1 - i) * MINUTE, value * GIB]);
  const series = [{ id: 'container.memory.working-set', unit: 'bytes', labels: {}, query: 'q', points }];
  return JSON.stringify({ from: points[0]?.[0], to: DIED, stepMs: MINUTE, series, unknown: [] });
}

const level = (gib: number, minutes = 60) => Array.from({ length: minutes }, () => gib);

async function verdictAfter(course: string) {
  const { facts, diagnosis } = await diagnoseFiles({ ...POD, 'previous.log': LOG, 'series.json': course });
  const shape = facts.get('ram.shape');
  return { ...diagnosis.verdict, shape: shape?.kind === 'known' ? shape.value : shape?.reason };
}

describe('RAM that ran out after hours of serving', () => {
  it.each([
    ['low all along', level(16), 'flat-low'],
    ['at rest below the limit', [...level(16, 20), ...level(40, 40)], 'plateau'],
    ['near the limit all along', level(46), 'flat-high'],
    ['at rest near the limit', [...level(16, 20), ...level(45, 40)], 'plateau'],
    ['that rose and fell', level(16).map((low, i) => low + ((i * 17) % 30)), 'irregular'],
  ])('%s is of RAM while it served, whose cause stays open', async (_what, gib, shape) => {
    const verdict = await verdictAfter(aCourse(gib));

    expect(verdict).toMatchObject({ shape, plane: 'host', phase: 'burst', certain: true, causeCertain: false });
    expect(verdict.remedies.map(({ says }) => says).join('\n')).not.toContain('restart');
  });

  it('is not read by what comes behind it: the next process', async () => {
    const verdict = await verdictAfter(aCourse([...level(46, 52), 2, 4, 6, 8, 9, 10, 10, 10], -8));

    expect(verdict).toMatchObject({ shape: 'flat-high', finding: 'host-held' });
  });

  it.each([
    ['an hour that ends ten minutes before it', 10, 'flat-low', 'host-held'],
    ['an hour that ends eleven minutes before it', 11, 'stale', 'host-late'],
  ])('is read by %s as far as that tells of the end', async (_what, minutes, shape, finding) => {
    expect(await verdictAfter(aCourse(level(16), minutes))).toMatchObject({ shape, finding });
  });
});
