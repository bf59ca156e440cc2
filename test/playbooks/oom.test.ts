import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { runCases } from '../../src/playbook/run-cases.ts';
import { ledAstray } from './line-alone.ts';
import { aSnapshot, CASES, COMPILED, COMPILED_PHRASES, judge, readIncident } from './shipped.ts';

describe('the shipped playbook', () => {
  it('is sound, without a warning', () => {
    expect(COMPILED).toMatchObject({ kind: 'sound', warnings: [] });
    expect(CASES.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('does in every case what the case expects, takes every branch in every kind that it can have, and reaches every finding', async () => {
    if (COMPILED.kind === 'bad') throw new Error('not sound');

    const { results, coverage } = await runCases({
      playbook: COMPILED.playbook,
      cases: CASES.flatMap(({ cases }) => cases),
      readIncident,
    });

    expect(results.filter(({ differences }) => differences.length > 0)).toEqual([]);
    expect(coverage.untaken()).toEqual([]);
    expect(coverage.unreached()).toEqual([]);
    expect(coverage.gaps()).toEqual([]);
  });

  it('gives no advice where the evidence does not decide the plane', () => {
    if (COMPILED.kind === 'bad') throw new Error('not sound');
    const unknown = COMPILED.playbook.findings.filter(({ plane }) => plane === 'unknown');

    expect(unknown.flatMap(({ offers }) => offers)).toEqual([]);
    expect(unknown.filter(({ next }) => next.length !== 1)).toEqual([]);
  });
});

describe('one deciding line alone', () => {
  it('leads to its memory', async () => {
    expect(await ledAstray(12)).toEqual([]);
  });
});

describe('an error that a finding quotes', () => {
  it('stands in quotes and without its own full stop', async () => {
    const { diagnosis } = await diagnoseSource(
      aSnapshot({ 'previous.log': 'RuntimeError: [SYMM] NVSHMEM init failed.\n' }),
      { phrases: COMPILED_PHRASES, judge },
    );

    expect(diagnosis.says).toMatch(/: “RuntimeError: \[SYMM\] NVSHMEM init failed”\.$/);
  });
});
