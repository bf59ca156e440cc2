import { describe, expect, it } from 'vitest';
import { type CommandsBench, openCommands } from './commands-bench.ts';

async function planned(options: Parameters<typeof openCommands>[0] = {}): Promise<CommandsBench> {
  const bench = await openCommands(options);
  await bench.ask('plan', bench.incident.id);
  return bench;
}

describe('secrets', () => {
  const KEY = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789';

  it.each([
    ['a reason to break the glass', 'approve', (id: string) => `${id} --break-glass="log in with ${KEY}"`],
    ['a reason behind a rejection', 'reject', (id: string) => `${id} the key is ${KEY}`],
    ['a plan that is none', 'reject', () => KEY],
    ['a value that is refused', 'plan', (_: string, incident: string) => `${incident} set-args --max-model-len=${KEY}`],
    ['a reason to pause', 'pause', () => `rotating --api-key=${KEY}`],
  ] as const)('typed as %s stand in no row of the store', async (_, verb, text) => {
    const bench = await planned({ settings: { breakGlass: ['U_ONCALL'] } });

    await bench.ask(verb, text((await bench.plan()).id, bench.incident.id));

    const kept = [await bench.audited(), await bench.acts.events(bench.incident.id), await bench.acts.paused()];
    expect(JSON.stringify(kept)).not.toContain(KEY);
  });

  it('clicked in the place of a hash stand in none either', async () => {
    const bench = await planned();

    await bench.commands.ask('approve', `${(await bench.plan()).id} ${KEY}`, { ...bench.request(), isClick: true });

    expect(bench.told('U_ONCALL')).toMatch(/is from an older version/);
    expect(JSON.stringify(await bench.audited())).not.toContain(KEY);
  });

  it('of the workload are kept only in what is written, and put back as they were', async () => {
    const bench = await planned({ args: ['--api-key', KEY] });

    const { steps, ...shown } = await bench.plan();

    expect(JSON.stringify(shown)).not.toContain(KEY);
    const written = steps.flatMap((step) =>
      step.kind === 'write' ? [JSON.stringify([step.patch, step.inverse])] : [],
    );
    expect(written.some((patch) => patch.includes(KEY))).toBe(true);
    const rest = steps.map((step) => (step.kind === 'write' ? { ...step, patch: [], inverse: [] } : step));
    expect(JSON.stringify(rest)).not.toContain(KEY);
    expect(JSON.stringify(rest)).toContain('[redacted:');
  });
});
