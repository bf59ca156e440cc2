import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import { runOom } from '../fakes/terminal.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from './shipped.ts';

describe('the built-in playbook', () => {
  it.each([[['lint']], [['test', '--strict']]])('passes oom playbook %s', async (words) => {
    const { code, out } = await runOom(['playbook', ...words]);

    expect(code, out).toBe(0);
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
