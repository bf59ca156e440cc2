import { describe, expect, it } from 'vitest';
import type { Reading } from '../../../../src/actions/verify-checks.ts';
import { drawRun } from '../../../../src/app/acting/run/run-view.ts';
import { openQuestion, type Plan, type Run } from '../../../../src/model/plan.ts';
import { runCard } from '../../../../src/report/run-card.ts';
import { drawTerminal } from '../../../../src/report/terminal.ts';
import { AS_TEXT } from '../../../report/inputs.ts';
import { someEyes } from '../bench.ts';
import { openCommands } from '../commands-bench.ts';
import { type OwnerLab, openOwner, type Standing } from '../owners/owner-lab.ts';

const known = (value: number): Reading => ({ kind: 'known', value });

/** A restart of one workload, with so many requests in flight at each look. */
async function openRestart({ of = 'Deployment', standing = 'serving' as Standing, inFlight = known(5) } = {}) {
  const now = { inFlight };
  const eyes = someEyes({ inFlight: async () => now.inFlight });
  const lab = await openOwner(of, { replicas: 3, standing, deps: { eyes } });
  const plan = await lab.planned('restart-drained');
  lab.heal();
  return { lab, plan, now };
}

/** Carries it out; `whenAsked` is called once, when the run asks. */
async function carryOut(lab: OwnerLab, plan: Plan, whenAsked: (run: Run) => Promise<unknown>) {
  const asked: { run: Run; at: number; writes: number }[] = [];
  const startedAt = lab.clock.now();
  const work: Promise<unknown>[] = [];
  lab.onTime = () => {
    const look = async () => {
      const [run] = await lab.store.openRuns();
      if (run === undefined || asked.length > 0 || openQuestion(run, plan) === undefined) return;
      const writes = lab.standin.writes.filter(({ dryRun }) => !dryRun).length;
      asked.push({ run, at: lab.clock.now() - startedAt, writes });
      await whenAsked(run);
    };
    work.push(look());
  };
  const run = await lab.carryOut(plan);
  await Promise.all(work);
  return { run, asked: asked[0] };
}

const tell = (lab: OwnerLab, command: Run['command']) => (run: Run) =>
  lab.store.commandRun(run.id, { command, by: 'U_APPROVER', at: lab.clock.now() });

describe('a restart that waits until no request is in flight', () => {
  it('says before that requests keep coming', async () => {
    const { plan } = await openRestart();

    expect(plan.hazards.find(({ id }) => id === 'requests-keep-coming')?.says).toMatch(
      /keep getting requests[\s\S]*asks/,
    );
  });

  it('goes on by itself once none is, and never asks', async () => {
    const { lab, plan } = await openRestart({ inFlight: known(0) });

    const { run, asked } = await carryOut(lab, plan, async () => {});

    expect(asked).toBeUndefined();
    expect(run.state).toBe('done');
  });

  it('asks at its deadline with how many would be cut, has written nothing by then, and verifies after the word', async () => {
    const { lab, plan } = await openRestart();

    const { run, asked } = await carryOut(lab, plan, tell(lab, 'keep'));

    expect(asked).toMatchObject({ writes: 0 });
    expect(asked?.at).toBeGreaterThanOrEqual(60_000);
    expect(asked?.at).toBeLessThan(90_000);
    const card = asked && runCard(asked.run, plan);
    expect(card && drawTerminal(card, AS_TEXT)).toMatch(
      /Decision needed: 5 requests in flight, and new ones keep coming/,
    );
    expect(card?.choices?.map(({ asks }) => asks)).toEqual(['go-on', 'abort']);
    expect(run.state).toBe('done');
    expect(run.steps[0]?.message).toBe('continued by U_APPROVER, cut off 5 requests in flight');
    // The word was for the cut alone.
    expect(run.command).toBe('none');
    expect(run.checks.length).toBeGreaterThan(0);
    expect(run.steps.some(({ message }) => /kept by/.test(message))).toBe(false);
  });

  it('asks as well where nobody can tell how many', async () => {
    const { lab, plan } = await openRestart({ inFlight: { kind: 'unknown', why: 'no metrics' } });

    const { asked } = await carryOut(lab, plan, tell(lab, 'abort'));

    expect(asked && openQuestion(asked.run, plan)?.message).toMatch(/Requests in flight unknown.*no metrics/);
  });

  it('goes on by itself where they end while it asks', async () => {
    const { lab, plan, now } = await openRestart();

    const { run } = await carryOut(lab, plan, async () => {
      now.inFlight = known(0);
    });

    expect(run.state).toBe('done');
    expect(run.steps[0]?.message).toBe('no requests in flight');
  });

  it.each([
    ['somebody aborts', 'abort', /Aborted/],
    ['nobody answers', undefined, /nobody answered within 30 min/],
  ] as const)('changes nothing where %s', async (_, command, words) => {
    const { lab, plan } = await openRestart();
    const before = lab.objects();

    const { run } = await carryOut(lab, plan, command === undefined ? async () => {} : tell(lab, command));

    expect(run.outcome).toMatch(words);
    expect(['aborted', 'failed', 'rolled-back']).toContain(run.state);
    expect(lab.objects()).toEqual(before);
  });

  it('asks before those that serve follow, where the broken ones of a StatefulSet come first', async () => {
    const { lab, plan } = await openRestart({ of: 'StatefulSet', standing: 'some' });

    const { run, asked } = await carryOut(lab, plan, tell(lab, 'keep'));

    expect(asked?.writes).toBe(3);
    expect(run.state).toBe('done');
  });
});

describe('the word to go on', () => {
  const asking = async () => {
    const bench = await openCommands({ ready: true });
    await bench.ask('plan', `${bench.incident.id} restart-drained`);
    const plan = await bench.plan();
    await bench.ask('approve', `${plan.id} ${plan.hash}`, 'U_APPROVER');
    const { id } = await bench.run();
    const at = bench.clock.now();
    await bench.acts.setRunState(id, { state: 'running', outcome: null, actor: 'oombot', at });
    const step = {
      n: 1,
      attempts: 3,
      startedAt: at - 60_000,
      message: '5 requests in flight, and new ones keep coming',
    };
    const save = (endedAt: number | null) => bench.acts.saveStep(id, { ...step, phase: 'running', endedAt });
    return { bench, id, save, at };
  };
  const asks = ({ bench }: Awaited<ReturnType<typeof asking>>) => bench.card().message.choices?.map((one) => one.asks);

  it('has its button only while the run asks', async () => {
    const scene = await asking();
    await scene.save(null);
    await drawRun(scene.bench.deps, scene.id);
    expect(asks(scene)).toEqual(['abort']);

    await scene.save(scene.at);
    await drawRun(scene.bench.deps, scene.id);
    expect(asks(scene)).toEqual(['go-on', 'abort']);
    expect(scene.bench.card().text).toMatch(/Decision needed: 5 requests in flight, and new ones keep coming/);

    await scene.bench.ask('go-on', scene.id, 'U_APPROVER');

    expect(await scene.bench.run()).toMatchObject({ command: 'keep', commandBy: 'U_APPROVER' });
    expect(asks(scene)).toEqual(['abort']);
    expect(scene.bench.told('U_APPROVER')).toMatch(/continues and cuts off/);
  });

  it('is for those who may approve', async () => {
    const { bench, id, save, at } = await asking();
    await save(at);

    await bench.ask('go-on', id, 'U_STRANGER');

    expect(bench.told('U_STRANGER')).toMatch(/may not approve here/);
    expect((await bench.run()).command).toBe('none');
    expect((await bench.audited()).at(-1)).toMatch(/^U_STRANGER refused prod\/llm/);
  });

  it('is nothing that cuts a verification short: a run that asks nothing does not take it', async () => {
    const { bench, id } = await asking();

    await bench.ask('go-on', id, 'U_APPROVER');

    expect(bench.told('U_APPROVER')).toMatch(/not waiting for a decision/);
    expect((await bench.run()).command).toBe('none');
  });
});
