import { describe, expect, it } from 'vitest';
import { valueIn, verdictOfFiles } from '../incident.ts';
import { podFile, running } from '../pod.ts';

const RUNS = { ready: true, restartCount: 0, state: running('2026-09-14T09:00:00Z') };
const pod = (over: object = {}) => podFile({ status: { ...RUNS, ...over } });
const PROXY = { name: 'proxy', ready: false, restartCount: 0, state: {} };
const LOG = {
  'current.log': `INFO:     Application startup complete.\nINFO:     10.0.0.7:5 - "POST /v1/completions HTTP/1.1" 200 OK\n`,
};

describe('a container that never ended', () => {
  it.each<[string, object, boolean | undefined]>([
    ['ready, no restart', pod(), false],
    ['restarted before', pod({ restartCount: 1 }), true],
    ['not ready', pod({ ready: false }), undefined],
    ['next to one that is unready', podFile({ status: RUNS, others: [PROXY] }), undefined],
  ])('%s', async (_, files, restarting) => {
    expect(await valueIn({ ...files, ...LOG }, 'pod.restarting')).toBe(restarting);
  });

  it('is healthy, for sure, and says so without a memory', async () => {
    expect(await verdictOfFiles({ ...pod(), ...LOG })).toMatchObject({ finding: 'none-healthy', certain: true });
    expect(await verdictOfFiles(LOG)).not.toMatchObject({ certain: true });
  });
});
