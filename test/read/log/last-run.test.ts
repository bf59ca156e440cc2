import { describe, expect, it } from 'vitest';
import { lastRun } from '../../../src/read/log/last-run.ts';
import { OOM_LINE, scan } from './scan-text.ts';

const SERVER = 'INFO 07-10 10:00:00 [api_server.py:1289] vLLM API server version 0.9.1';
const ENGINE =
  "INFO 07-10 10:00:01 [core.py:70] Initializing a V1 LLM engine (v0.9.1) with config: model='m', max_seq_len=8192";
const READY = 'INFO:     Application startup complete.';
const DEAD = 'ERROR 07-10 10:00:02 [core.py:515] EngineCore failed to start.';
const REFUSED = 'ValueError: No available memory for the cache blocks. Try increasing';

const lastLines = (...lines: string[]) => {
  const run = lastRun(scan(`${lines.join('\n')}\n`));
  return [...new Set(run.hits.map((hit) => hit.line))];
};

describe('the last run of a log', () => {
  it.each([
    ['no banner: all of it', [OOM_LINE, READY], [1, 2]],
    ['one run: all of it', [SERVER, ENGINE, OOM_LINE], [1, 2, 3]],
    ['the server started twice', [SERVER, OOM_LINE, SERVER, REFUSED], [3, 4]],
    ['the server was killed without a word and started again', [SERVER, ENGINE, SERVER, ENGINE, REFUSED], [3, 4, 5]],
    ['several engine processes of one run', [ENGINE, ENGINE, OOM_LINE], [1, 2, 3]],
    ['an engine without a server, after its failure', [ENGINE, REFUSED, DEAD, ENGINE, OOM_LINE], [4, 5]],
    ['an engine without a server, after it had been ready', [ENGINE, READY, ENGINE, OOM_LINE], [3, 4]],
  ])('%s', (_, lines, expected) => {
    expect(lastLines(...lines)).toEqual(expected);
  });

  it('keeps the counts of the whole log', () => {
    const run = lastRun(scan(`${SERVER}\n${OOM_LINE}\n${SERVER}\n`));

    expect(run.counts.get('torch.oom.head')).toBe(1);
    expect(run.hits.some((hit) => hit.id === 'torch.oom.head')).toBe(false);
  });
});
