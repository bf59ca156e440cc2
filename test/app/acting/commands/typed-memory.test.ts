import { describe, expect, it } from 'vitest';
import { openCommands, SETTINGS } from '../commands-bench.ts';

const GIB = 2 ** 30;
const LIMIT = 'resources.limits.memory';

/** A workload with 64Gi on a node that gives 1000 GiB to pods; up to 512Gi may be set by a button. */
async function asked(text: string, over: { readonly node?: number | undefined; readonly cap?: number } = {}) {
  const { node = 1000 * GIB, cap = 512 * GIB } = over;
  const bench = await openCommands({
    memory: { limit: '64Gi', ...('node' in over && over.node === undefined ? {} : { node }) },
    settings: { limits: { ...SETTINGS.limits, maxMemoryBytes: cap } },
  });
  await bench.ask('plan', `${bench.incident.id} ${text}`);
  return bench;
}

describe('a memory size that is typed', () => {
  const NODE_HAS_LESS = /96Gi is more than the allocatable memory of its node \(90 GiB\)/;
  it.each(['raise-ram --memory=96Gi', '--memory=96GiB'])('%j is planned as the limit', async (text) => {
    const bench = await asked(text);

    const plan = await bench.plan();

    expect(plan).toMatchObject({ action: 'raise-ram', edits: [{ flag: LIMIT, from: '64Gi', to: '96Gi' }] });
    expect(plan.bounds).toEqual([{ flag: LIMIT, min: 64 * GIB, max: 512 * GIB }]);
    expect(bench.card().text).toMatch(/-\s+memory: 64Gi[\s\S]*\+\s+memory: 96Gi/);
  });

  it.each([
    ['above the cap', 'raise-ram --memory=600Gi', {}, /above the configured cap of 512 GiB[\s\S]*kubectl -n llm patch/],
    ['more than the node has', 'raise-ram --memory=96Gi', { node: 90 * GIB }, NODE_HAS_LESS],
    ['no more than now', 'raise-ram --memory=64Gi', {}, /is already 64Gi or more/],
    ['without a unit', 'raise-ram --memory=96', {}, /takes a size such as 96Gi, and not 96/],
    ['of a unit that is none', 'raise-ram --memory=96GB', {}, /takes a size such as 96Gi, and not 96GB/],
    ['no size', 'raise-ram --memory=-1Gi', {}, /takes a size such as 96Gi, and not -1Gi/],
  ] as const)('%s is refused in words, and nothing is planned', async (_, text, over, words) => {
    const bench = await asked(text, over);

    expect(bench.told('U_ONCALL').replaceAll(/\s+/g, ' ')).toMatch(words);
    expect(await bench.acts.plansOf(bench.incident.id)).toEqual([]);
  });

  it('can be edited within what the cap and the node give', async () => {
    const bench = await asked('raise-ram --memory=96Gi', { node: 200.5 * GIB });
    const first = await bench.plan();

    const form = await bench.commands.form(first.id, bench.request());
    await bench.commands.edited({ planId: first.id, values: [{ flag: LIMIT, to: '300Gi' }] }, bench.request());
    expect((await bench.plan()).id).toBe(first.id);
    await bench.commands.edited({ planId: first.id, values: [{ flag: LIMIT, to: '128Gi' }] }, bench.request());

    expect(form?.fields).toMatchObject([{ flag: LIMIT, from: '64Gi', to: '96Gi', min: 64 * GIB, max: 200 * GIB }]);
    expect(bench.told('U_ONCALL')).toMatch(/300Gi is more than the allocatable memory of its node/);
    expect((await bench.plan()).edits).toMatchObject([{ flag: LIMIT, from: '64Gi', to: '128Gi' }]);
  });

  it('says that it is not known what a node gives, where that was not read', async () => {
    const bench = await asked('raise-ram --memory=96Gi', { node: undefined });

    expect((await bench.plan()).hazards.map(({ id }) => id)).toContain('node-memory-unknown');
    expect((await bench.plan()).bounds).toMatchObject([{ max: 512 * GIB }]);
  });
});
