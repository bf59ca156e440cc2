import { describe, expect, it } from 'vitest';
import { readShape } from '../../../../src/app/acting/verify/read-shape.ts';
import type { StoredFinding } from '../../../../src/app/ports.ts';
import type { Fact } from '../../../../src/model/fact.ts';
import { snapshotSource } from '../../../../src/snapshot/source.ts';
import { exampleDiagnosis, exampleSnapshot } from '../../../model/examples.ts';

const DUMP = `${'x'.repeat(3000)} num_scheduled_tokens={a: 700, b: 12}, total_num_scheduled_tokens=712`;

/** Stored findings, the oldest first, each with the log of its snapshot; null where the evidence is gone. */
function read(logs: readonly (string | null)[]) {
  const finding = (_: unknown, i: number): StoredFinding => {
    return { id: `f${i}`, incidentId: 'inc_1', snapshotId: `s${i}`, at: i, diagnosis: exampleDiagnosis };
  };
  const step = (text: string): Fact => {
    const line = text.split('\n').findIndex((one) => one.includes('total_num_scheduled_tokens'));
    if (line < 0) return { kind: 'unknown', reason: 'not-in-snapshot', detail: 'no dump' };
    const text712 = 'total_num_scheduled_tokens=712';
    return { kind: 'known', value: 712, from: [{ kind: 'line', file: 'previous.log', line: line + 1, text: text712 }] };
  };
  return readShape(
    {
      store: {
        findings: async () => logs.map(finding),
        snapshot: async (id) => {
          const log = logs[Number(id.slice(1))] ?? null;
          return log === null ? undefined : { ...exampleSnapshot, id, files: { 'previous.log': log } };
        },
      },
      source: snapshotSource,
      diagnose: async (source) => ({
        diagnosis: exampleDiagnosis,
        facts: new Map([['step.scheduled-tokens', step(await source.read('previous.log'))]]),
        capture: undefined,
        series: undefined,
      }),
    },
    'inc_1',
  );
}

describe('the shape of an incident', () => {
  it.each([
    [
      'the whole line of the newest log that has it',
      [DUMP.replace('700', '9'), `first\n${DUMP}\nlast`, 'nothing', null],
      700,
    ],
    ['an older log where the newest has none', [DUMP, 'nothing'], 700],
  ])('is read from %s', async (_, logs, promptTokens) => {
    expect(await read(logs)).toEqual({ kind: 'known', shape: { promptTokens, concurrency: 2, maxTokens: 16 } });
  });

  it.each([
    ['no log has one', ['nothing']],
    ['all evidence is gone', [null]],
    ['nothing was found yet', []],
  ])('is not known where %s', async (_, logs) => {
    expect(await read(logs)).toMatchObject({ kind: 'unknown' });
  });
});
