import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RunInput } from '../../../../src/app/acting/act-answers.ts';
import { runPlan } from '../../../../src/app/acting/run/flow.ts';
import type { WaitStep } from '../../../../src/model/plan.ts';
import { createFakeSteps, type Script } from '../../../fakes/steps.ts';
import { aStopBleed, aWrite } from '../plans.ts';

const OK = { kind: 'ok', says: '' };
const stop = (why: string) => ({ kind: 'stop', why, says: `because ${why}` });
const WAIT = { kind: 'wait', inMs: 10_000, says: 'not yet' };

async function run(script: Script, over: Partial<RunInput> = {}) {
  const steps = createFakeSteps({ settle: [{ kind: 'ok', says: '2 of 2 serve' }], ...script });
  const why = await runPlan(steps, { runId: 'run_1', plan: aStopBleed(), from: 'start', rollBack: 'ask', ...over });
  const told = steps.calls.findLast(({ name }) => name === 'report')?.input;
  return { why, steps, path: steps.path(), told };
}

const setting = (n: number, path: string) => ({
  ...aWrite(n, { from: 2, to: 0 }),
  patch: [{ op: 'replace' as const, path, value: n }],
  inverse: [{ op: 'replace' as const, path, value: 0 }],
});
const aSetting = (n: number) => setting(n, '/spec/strategy');
const aChange = (n: number) => setting(n, '/spec/template');

const FORWARD = 'claim check apply.1 wait.2 apply.3 apply.4 wait.5 apply.6 wait.7 verify.8 watch';

describe('the flow of a plan', () => {
  it('goes through all steps in order, watches, and reports', async () => {
    const { why, path, told } = await run({});

    expect(why).toBe('done');
    expect(path).toBe(`${FORWARD} report handover`);
    expect(told).toMatchObject({ ahead: { why: 'done', reached: 8 }, back: null });
  });

  it('leaves at once when another execution has the run', async () => {
    const { why, path } = await run({ claim: [{ kind: 'duplicate' }] });

    expect(why).toBe('duplicate');
    expect(path).toBe('claim');
  });

  it.each([
    // act that stops, why, roll back by itself, the path behind it, end
    ['check', 'not-started', 'automatic', '', null],
    ['check', 'abort', 'automatic', '', null],
    ['apply.1', 'conflict', 'automatic', '', null],
    ['apply.1', 'failed', 'ask', '', null],
    ['apply.1', 'failed', 'automatic', 'compensate undo.1 settle ', 'back'],
    ['wait.2', 'abort', 'ask', 'compensate undo.1 settle ', 'back'],
    ['wait.2', 'abandon', 'automatic', '', null],
    ['wait.2', 'timeout', 'ask', '', null],
    ['wait.2', 'timeout', 'automatic', 'compensate undo.1 settle ', 'back'],
    ['wait.5', 'reverted', 'automatic', '', null],
    ['wait.5', 'roll-back', 'ask', 'compensate undo.4 settle.3 undo.3 undo.1 settle ', 'back'],
    ['verify.8', 'bad', 'automatic', 'compensate undo.6 undo.4 settle.3 undo.3 undo.1 settle ', 'back'],
    ['watch', 'reverted', 'automatic', '', null],
  ] as const)('%s stops with %s and roll-back on %s', async (act, why, rollBack, wayBack, back) => {
    const ran = await run({ [act]: [stop(why)] }, { rollBack });

    const forward = FORWARD.slice(0, FORWARD.indexOf(act) + act.length);
    expect(ran.path).toBe(`${forward} ${wayBack}report handover`);
    expect(ran.why).toBe(why);
    expect(ran.told).toMatchObject({ ahead: { why, says: `because ${why}` }, back: back && { kind: back } });
  });

  it('stops on the way back where one write cannot be taken back', async () => {
    const { path, told } = await run({ 'wait.5': [stop('abort')], 'undo.3': [stop('conflict')] });

    expect(path).toBe(
      'claim check apply.1 wait.2 apply.3 apply.4 wait.5 compensate undo.4 settle.3 undo.3 report handover',
    );
    expect(told).toMatchObject({ back: { kind: 'stuck', says: 'because conflict' } });
  });

  it('is no rollback where somebody has changed what was restored', async () => {
    const { told } = await run({ settle: [stop('reverted')] }, { from: 'roll-back' });

    expect(told).toMatchObject({ back: { kind: 'stuck', says: 'because reverted' } });
  });

  it('takes an ended run up again only to go back', async () => {
    const { path } = await run({}, { from: 'roll-back' });

    expect(path).toBe('claim compensate undo.6 undo.4 settle.3 undo.3 undo.1 settle report handover');
  });

  it.each([
    ['ok', 'back', 'undo.4 undo.2 settle.1 undo.1 settle'],
    ['timeout', 'late', 'undo.4 undo.2 settle.1 undo.1 settle'],
  ])('waits on the way back before the settings of the roll-out go back too: %s', async (_how, kind, path) => {
    const plan = aStopBleed({
      steps: [aSetting(1), aChange(2), { ...(aStopBleed().steps[6] as WaitStep), n: 3 }, aSetting(4)],
    });
    const { path: gone, told } = await run(kind === 'late' ? { settle: [WAIT] } : {}, { plan, from: 'roll-back' });

    expect(gone).toBe(`claim compensate ${path} report handover`);
    expect(told).toMatchObject({ back: { kind } });
  });

  it('asks again after the time that the act says', async () => {
    const { steps, path } = await run({ 'wait.2': [WAIT, { ...WAIT, inMs: 7000 }, OK] });

    expect(steps.sleeps).toEqual([10_000, 7000]);
    expect(path).toBe(`${FORWARD} report handover`);
  });

  it('counts the attempts of a place from zero', async () => {
    const { steps } = await run({ 'wait.2': [WAIT, WAIT, OK] });

    const attempts = steps.calls.filter(({ name, input }) => name === 'wait' && input.n === 2);
    expect(attempts.map(({ input }) => input.i)).toEqual([0, 1, 2]);
  });

  it.each(['check', 'apply.3', 'wait.5', 'verify.8', 'watch', 'report', 'handover'])(
    '%s ends although it never comes',
    async (act) => {
      const { steps, why } = await run({ [act]: [WAIT] });

      expect(steps.calls.at(-1)?.name).toBe('handover');
      expect(why).toBe(['watch', 'report', 'handover'].includes(act) ? 'done' : 'timeout');
    },
  );

  it('stays below the 1,000 step attempts of the engine when all that can be slow is slow', async () => {
    const plan = aStopBleed({}, { everyMs: 1000, forMs: 7_200_000 });
    const last: Record<string, unknown> = {};
    const slowly = (input: Readonly<Record<string, unknown>>) => {
      last[String(input.n)] = input.i;
      return WAIT;
    };
    const { steps } = await run(
      {
        check: [...Array(60).fill(WAIT), OK],
        apply: [...Array(10).fill(WAIT), OK],
        wait: (input) => (Number(input.i) < 100 ? WAIT : OK),
        verify: slowly,
        undo: [...Array(30).fill(WAIT), OK],
        settle: slowly,
        report: [WAIT],
      },
      { plan, rollBack: 'automatic' },
    );

    expect(steps.calls.length + steps.sleeps.length).toBeLessThan(1000);
  });

  it('catches nothing, reads no clock and keeps nothing outside of its arguments', () => {
    const text = readFileSync(join(import.meta.dirname, '../../../../src/app/acting/run/flow.ts'), 'utf8');
    const code = text.replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '');

    expect(code).not.toMatch(/\b(try|catch|finally|Date|performance|random|setTimeout|Promise\.|class|process|var)\b/);
    // A function made inside another one could close over data; at the top level only constants and functions stand.
    expect(code).not.toMatch(/=>|\bfunction\s*\(/);
    expect(code).not.toMatch(/^(?:let|const [a-z])/m);
  });
});
