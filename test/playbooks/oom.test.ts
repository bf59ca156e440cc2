import { expect, it } from 'vitest';
import { diagnoseFiles, logged } from '../facts/incident.ts';
import { runOom } from '../fakes/terminal.ts';

it.each([[['lint']], [['test', '--strict']]])('the built-in playbook passes oom playbook %s', async (words) => {
  const { code, out } = await runOom(['playbook', ...words]);

  expect(code, out).toBe(0);
});

it('an error that a finding quotes stands in quotes and without its own full stop', async () => {
  const { diagnosis } = await diagnoseFiles(logged('RuntimeError: [SYMM] NVSHMEM init failed.'));

  expect(diagnosis.says).toMatch(/: “RuntimeError: \[SYMM\] NVSHMEM init failed”\. /);
});
