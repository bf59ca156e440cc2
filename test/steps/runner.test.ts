import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { RunInput } from '../../src/app/acting/act-answers.ts';
import { runPlan } from '../../src/app/acting/run/flow.ts';
import type { Plan, Run } from '../../src/model/plan.ts';
import { createOpenWorkflowRunner, type DurableRunner, nameStep } from '../../src/steps/create-open-workflow-runner.ts';
import { migrateEngine, openBackend } from '../../src/steps/open-backend.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { type Bench, openBench } from '../app/acting/bench.ts';
import { OLD_ARGS } from '../app/acting/plans.ts';
import { START } from '../fakes/clock.ts';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const open: DurableRunner[] = [];
const folder = mkdtempSync(join(tmpdir(), 'oom-runner-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'], now: START }));
afterEach(async () => {
  for (const runner of open.splice(0)) await runner.stop();
  vi.useRealTimers();
});

type Lab = Bench & { readonly runner: DurableRunner; readonly settle: () => Promise<void>; readonly begun: string[] };

/** A run on the real engine, in memory, over a small cluster. Only `Date` is moved. */
async function openLab(over: Partial<Parameters<typeof createOpenWorkflowRunner>[0]> = {}): Promise<Lab> {
  const bench = await openBench({ clock: createSystemClock() });
  const begun: string[] = [];
  let busy = 0;
  const runner = await createOpenWorkflowRunner({
    url: 'sqlite::memory:',
    clock: createSystemClock(),
    log: bench.log,
    store: bench.store,
    flow: async (steps, input) => {
      busy += 1;
      return runPlan(steps, input as RunInput).finally(() => {
        busy -= 1;
      });
    },
    acts: async (name, input, execution) => {
      begun.push(nameStep(name, input));
      return bench.acts(name, input, execution);
    },
    rollBack: () => 'ask',
    onLost: async (id) => {
      bench.reports.push(id);
    },
    ...over,
  });
  open.push(runner);
  // Runs all that is due now.
  const settle = async (): Promise<void> => {
    for (let idle = 0; idle < 3; ) {
      const claimed = await runner.tick();
      await new Promise((resolve) => setImmediate(resolve));
      idle = claimed === 0 && busy === 0 ? idle + 1 : 0;
    }
  };
  return { ...bench, runner, settle, begun };
}

const writesOf = ({ cluster }: Lab): string[] => cluster.log.map((line) => line.slice(0, 10));

async function passUntilEnd({ run, settle }: Lab, ms: number, step = 10 * SECOND): Promise<Run> {
  const end = Date.now() + ms;
  while (Date.now() < end && (await run()).outcome === null) {
    vi.setSystemTime(Date.now() + step);
    await settle();
  }
  return run();
}

describe('a run on the engine', () => {
  it('goes through a whole stop-bleed in no time of ours', async () => {
    const lab = await openLab();
    await lab.runner.start((await lab.run()).id);

    const ended = await passUntilEnd(lab, 20 * MINUTE);

    expect(ended).toMatchObject({ state: 'done', outcome: 'All steps done.' });
    expect(writesOf(lab)).toEqual(['replicas=0', 'args=["--m', 'replicas=1', 'replicas=2']);
    expect(lab.reports).toEqual([ended.id]);
    expect(new Set(lab.begun).size).toBe(lab.begun.length);
  });

  it('leaves no value that is written with the engine', async () => {
    const inputs: unknown[] = [];
    const lab = await openLab({ flow: async (_, input) => void inputs.push(input) });

    await lab.runner.start((await lab.run()).id);
    await lab.settle();

    expect(inputs).toHaveLength(1);
    const kept = await lab.store.plan((await lab.run()).planId);
    const values = ({ steps }: Pick<Plan, 'steps'>): string =>
      JSON.stringify(steps.map((one) => ({ ...one, says: '' })));
    expect(kept && values(kept)).toContain(OLD_ARGS.at(-1));
    expect(values((inputs[0] as RunInput).plan)).not.toContain(OLD_ARGS.at(-1));
  });

  it('is started once, however often it is asked for', async () => {
    const lab = await openLab();
    const { id } = await lab.run();
    await Promise.all([lab.runner.start(id), lab.runner.start(id), lab.runner.sweep()]);

    await lab.settle();

    expect(lab.begun.filter((name) => name === 'claim.0')).toHaveLength(1);
  });

  it('is started by the sweeper when the process died between click and start', async () => {
    const lab = await openLab();
    await lab.runner.sweep();
    await lab.settle();

    expect(lab.begun.slice(0, 3)).toEqual(['claim.0', 'check.0', 'apply.1.0']);
  });

  it('goes back when aborted', async () => {
    const lab = await openLab();
    lab.cluster.ready = 0;
    const { id } = await lab.run();
    await lab.runner.start(id);
    await lab.settle();
    await lab.store.commandRun(id, { command: 'abort', by: 'U_ONCALL', at: Date.now() });

    const ended = await passUntilEnd(lab, 20 * MINUTE);

    expect(ended).toMatchObject({ state: 'rolled-back', outcome: expect.stringContaining('U_ONCALL') });
    expect(lab.cluster.log.at(-1)).toBe('replicas=2');
  });

  it('is taken up again to go back, twice where the first way back got stuck', async () => {
    const lab = await openLab();
    const { id } = await lab.run();
    await lab.runner.start(id);
    await passUntilEnd(lab, 20 * MINUTE);
    lab.cluster.set('/spec/replicas', 9);

    await lab.store.commandRun(id, { command: 'roll-back', by: 'U_ONCALL', at: Date.now() });
    await lab.runner.sweep();
    const stuck = await passUntilEnd(lab, MINUTE);
    lab.cluster.set('/spec/replicas', 2);
    vi.setSystemTime(Date.now() + SECOND);
    await lab.store.commandRun(id, { command: 'roll-back', by: 'U_ONCALL', at: Date.now() });
    await lab.runner.sweep();
    const back = await passUntilEnd(lab, MINUTE);

    expect(stuck).toMatchObject({ state: 'failed', outcome: expect.stringContaining('should be 2 and is 9') });
    expect(back.state).toBe('rolled-back');
    expect(writesOf(lab).slice(4)).toEqual(['replicas=1', 'replicas=0', 'args=["--m', 'replicas=2']);
  });

  it('tries a fault of the store again', async () => {
    const lab = await openLab();
    const { saveStep } = lab.store;
    let faults = 2;
    Object.assign(lab.store, {
      saveStep: (...args: Parameters<typeof saveStep>) => {
        faults -= 1;
        return faults < 0 ? saveStep(...args) : Promise.reject(new Error('the disk is full'));
      },
    });
    await lab.runner.start((await lab.run()).id);
    await lab.settle();

    const ended = await passUntilEnd(lab, 20 * MINUTE, SECOND);

    expect(ended.state).toBe('done');
    expect(lab.cluster.log).toHaveLength(4);
  });

  it('ends a run that the engine has given up, and tells', async () => {
    const lab = await openLab({ acts: () => Promise.reject(new Error('a fault of ours')) });
    const { id } = await lab.run();
    await lab.runner.start(id);
    for (let i = 0; i < 200; i += 1) {
      vi.setSystemTime(Date.now() + 31 * SECOND);
      await lab.settle();
    }
    await lab.runner.sweep();

    expect(await lab.run()).toMatchObject({ state: 'failed', outcome: expect.stringContaining('cut off') });
    expect(lab.reports).toEqual([id]);
  });

  it('cuts off an abandoned run whose flow does not answer', async () => {
    const lab = await openLab({ acts: () => new Promise(() => {}) });
    const { id } = await lab.run();
    await lab.store.commandRun(id, { command: 'abandon', by: 'U_ONCALL', at: Date.now() });
    await lab.runner.sweep();
    const early = (await lab.run()).state;
    vi.setSystemTime(Date.now() + 2 * MINUTE);
    await lab.runner.sweep();

    expect(early).toBe('queued');
    expect(await lab.run()).toMatchObject({ state: 'aborted', outcome: expect.stringContaining('did not answer') });
  });

  it.each([
    { takeOverMs: 0, afterMs: 0, begun: true, what: 'at once where nobody else serves' },
    { takeOverMs: 11 * SECOND, afterMs: 0, begun: false, what: 'not before the last act of the dead one is over' },
    { takeOverMs: 11 * SECOND, afterMs: 11 * SECOND, begun: true, what: 'once that act is over' },
    { takeOverMs: undefined, afterMs: 11 * SECOND, begun: false, what: 'not before the lease ends where others serve' },
    { takeOverMs: undefined, afterMs: 31 * SECOND, begun: true, what: 'once the lease has ended' },
  ])('goes on with what a killed process was at: $what', async ({ takeOverMs, afterMs, begun }) => {
    const url = `sqlite:${join(folder, `${takeOverMs}-${afterMs}.db`)}`;
    await migrateEngine(url);
    const lab = await openLab({ url, takeOverMs });
    await lab.runner.start((await lab.run()).id);
    const dead = await openBackend(url);
    await dead.claimWorkflowRun({ workerId: 'killed', leaseDurationMs: 30 * SECOND });
    await dead.stop();

    await lab.runner.begin();
    // The time of the store goes on although the date is held.
    vi.setSystemTime(Date.now() + afterMs + SECOND);
    await lab.settle();

    expect(lab.begun.includes('claim.0')).toBe(begun);
  });

  it('leaves a run to the execution that has claimed it', async () => {
    const lab = await openLab();
    const { id } = await lab.run();
    await lab.store.claimRun(id, 'an execution of another day', Date.now());

    await lab.runner.start(id);
    await lab.settle();
    await lab.runner.sweep();

    expect((await lab.run()).state).toBe('queued');
    expect(lab.begun).toEqual(['claim.0']);
  });
});
