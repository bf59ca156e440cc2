import { describe, expect, it } from 'vitest';
import { readStamp } from '../../../src/actions/run/stamp.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import type { Plan, Run } from '../../../src/model/plan.ts';
import { changesOf } from './owners/changes.ts';
import { type OwnerLab, openOwner, SHORTER } from './owners/owner-lab.ts';

const TWO_MINUTES = 120_000;

async function openStopBleed() {
  const lab = await openOwner('Deployment', { verifyMs: 300_000 });
  const before = lab.objects();
  const plan = await lab.planned('stop-bleed', SHORTER);
  lab.heal();
  return { lab, plan, before };
}

/** Takes the API server away for two minutes, once the run has come to a step; tells what its card said meanwhile. */
function takeAway(lab: OwnerLab, isNow: (run: Run) => boolean) {
  const outage = { since: Number.NaN, until: Number.NaN, said: [] as string[] };
  const look = async () => {
    const [run] = await lab.store.openRuns();
    const now = lab.clock.now();
    if (Number.isNaN(outage.since) && run !== undefined && isNow(run)) {
      outage.since = now;
      lab.standin.faults.on(/./, { kind: 'drop' });
    }
    if (Number.isNaN(outage.until) && now >= outage.since + TWO_MINUTES) {
      outage.until = now;
      lab.standin.faults.clear();
    }
    outage.said.push(...(run?.steps ?? []).filter(({ phase }) => phase === 'running').map(({ message }) => message));
  };
  lab.onTime = () => void look();
  return outage;
}

/** The steps whose writes were applied, by their marks, in order. */
function appliedIn({ standin }: OwnerLab): number[] {
  return standin.writes
    .filter(({ dryRun, outcome }) => !dryRun && outcome === 'applied')
    .flatMap(({ body }) => {
      const operations = (body as Parameters<typeof applyPatch>[1]).filter(({ op }) => op !== 'test');
      const marks = operations.filter(({ path }) => path.startsWith('/metadata/annotations'));
      const bare = { metadata: marks.some(({ path }) => path === '/metadata/annotations') ? {} : { annotations: {} } };
      const marked = applyPatch(bare, marks);
      return marked.kind === 'applied' ? [readStamp(marked.value)?.n ?? Number.NaN] : [];
    });
}

const isAt =
  (n: number) =>
  ({ steps }: Run): boolean =>
    steps.some((step) => step.n === n && step.phase === 'running');
const writesOf = ({ steps }: Plan): number[] => steps.filter(({ kind }) => kind === 'write').map(({ n }) => n);

describe('with the API server gone for two minutes', () => {
  it.each([
    ['while it waits until no pod is left', 2],
    ['while the first replica loads', 5],
    ['during the verification', 8],
  ])('%s the run goes on afterwards, and each write is made once', async (_, n) => {
    const { lab, plan, before } = await openStopBleed();
    const outage = takeAway(lab, isAt(n));

    const run = await lab.carryOut(plan);

    expect(outage.until - outage.since).toBeGreaterThanOrEqual(TWO_MINUTES);
    expect([run.state, run.outcome]).toEqual(['done', 'All steps done.']);
    expect(appliedIn(lab)).toEqual(writesOf(plan));
    expect(changesOf(before, lab.objects())).toEqual([
      'Deployment /spec/template/spec/containers/0/args: 32768 -> 8192',
    ]);
  });

  it('before its first write it says so, and writes once it is back', async () => {
    const { lab, plan } = await openStopBleed();
    // From the start: the first act finds nobody.
    lab.standin.faults.on(/./, { kind: 'drop' });
    const outage = takeAway(lab, () => true);

    const run = await lab.carryOut(plan);

    expect(run.state).toBe('done');
    expect(outage.said.join('\n')).toMatch(/the API server did not answer/);
    expect(appliedIn(lab)).toEqual(writesOf(plan));
  });

  it('on the way back it goes on afterwards as well', async () => {
    const { lab, plan, before } = await openStopBleed();
    const run = await lab.carryOut(plan);
    const outage = takeAway(lab, ({ state }) => state === 'compensating');
    lab.standin.faults.on(/./, { kind: 'drop' });

    const back = await lab.takeBack(run);

    expect(outage.until).not.toBeNaN();
    expect(back.state).toBe('rolled-back');
    expect(lab.objects()).toEqual(before);
  });
});

it('an API server that lies says yes with another object, having written nothing: the write is made after all, once', async () => {
  const { lab, plan } = await openStopBleed();
  const metadata = { name: 'other', uid: 'uid-other' };
  const other = { apiVersion: 'apps/v1', kind: 'Deployment', metadata, spec: {} };
  lab.standin.faults.on(/^PATCH (?!.*dryRun)/, { kind: 'body', status: 200, text: JSON.stringify(other) }, 1);

  const run = await lab.carryOut(plan);

  expect(run.state).toBe('done');
  expect(appliedIn(lab)).toEqual(writesOf(plan));
});
