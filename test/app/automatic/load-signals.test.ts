import { describe, expect, it } from 'vitest';
import { loadSignals } from '../../../src/app/automatic/load-signals.ts';
import type { LoadReading } from '../../../src/app/pressure-ports.ts';

type Columns = { readonly [K in Exclude<keyof LoadReading, 'at'>]?: readonly (number | undefined)[] };

function readings(columns: Columns, count = 3): LoadReading[] {
  return Array.from({ length: count }, (_, i) => ({
    at: i * 150_000,
    kvUsed: columns.kvUsed?.[i],
    running: columns.running?.[i],
    waiting: columns.waiting?.[i],
    preemptions: columns.preemptions?.[i],
    tokens: columns.tokens?.[i],
    finished: columns.finished?.[i],
    oomKills: columns.oomKills?.[i],
    restarts: columns.restarts?.[i],
  }));
}

const FULL = { kvUsed: [0.97, 0.98, 0.99], waiting: [3, 9, 14], preemptions: [10, 12, 31] };
const STUCK = { running: [4, 4, 4], waiting: [2, 2, 2], tokens: [900, 900, 900] };
const KILLED = { oomKills: [0, 0, 1], restarts: [2, 2, 2] };

describe('what the last readings show', () => {
  it.each<[string, Columns, readonly string[]]>([
    ['a full pool, a growing queue and preemptions', FULL, ['pressure']],
    ['a full pool with an empty queue', { ...FULL, waiting: [0, 0, 0] }, []],
    ['a queue that drains', { ...FULL, waiting: [14, 9, 3] }, []],
    ['a queue that went down between', { ...FULL, waiting: [3, 2, 14] }, []],
    ['no preemptions', { ...FULL, preemptions: [10, 10, 10] }, []],
    ['a pool that had room once', { ...FULL, kvUsed: [0.97, 0.95, 0.99] }, []],
    ['preemptions of a process that began anew', { ...FULL, preemptions: [40, 2, 5] }, []],
    ['no word of the queue', { ...FULL, waiting: [3, undefined, 14] }, []],
    ['requests and no tokens', STUCK, ['hang']],
    ['requests and tokens', { ...STUCK, tokens: [900, 900, 901] }, []],
    ['an idle engine', { ...STUCK, running: [0, 0, 0], waiting: [0, 0, 0] }, []],
    ['requests that came just now', { ...STUCK, running: [0, 4, 4], waiting: [0, 0, 0] }, []],
    ['an engine that never generated', { ...STUCK, tokens: [0, 0, 0] }, []],
    ['requests that finish without tokens', { ...STUCK, finished: [5, 9, 12] }, []],
    ['an engine that tells no tokens', { ...STUCK, tokens: [] }, []],
    ['a container that restarted meanwhile', { ...STUCK, restarts: [0, 0, 1] }, []],
    ['a killed process in a container that lives on', KILLED, ['child-killed']],
    ['a killed container', { ...KILLED, restarts: [2, 2, 3] }, []],
    ['a kill of long ago', { ...KILLED, oomKills: [1, 1, 1] }, []],
    ['a kill without a word on restarts', { ...KILLED, restarts: [] }, []],
    ['all of it', { ...FULL, ...KILLED, running: [4, 4, 4], tokens: [7, 7, 7] }, ['pressure', 'hang', 'child-killed']],
  ])('%s', (_, columns, expected) => {
    expect(loadSignals(readings(columns))).toEqual(expected);
  });

  it('two readings show nothing yet', () => {
    expect(loadSignals(readings(FULL, 2))).toEqual([]);
  });
});
