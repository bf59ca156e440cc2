import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import type { CheckResult, Plan, Run } from '../../src/model/plan.ts';
import { card } from '../../src/report/card.ts';
import { helpMessage } from '../../src/report/help.ts';
import { planCard } from '../../src/report/plan-card.ts';
import { planPage } from '../../src/report/plan-page.ts';
import { runCard } from '../../src/report/run-card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { examplePlan, exampleRun } from '../model/plan-examples.ts';
import { AS_TEXT, anInput } from './inputs.ts';

const text = (message: Message): string => drawTerminal(message, AS_TEXT);
const asks = ({ choices = [] }: Message) => choices.map((one) => one.asks);
const edit = { flag: '--max-model-len', from: '131072', to: '30000', why: '', facts: [] };

const warned = { id: 'api-warning', says: 'The API server warns: spec.x is deprecated', done: null, blocks: false };

describe('the card of a plan', () => {
  it('says whom it stops, what changes, what it costs, what is not known, and the way back', () => {
    const shown = text(planCard({ ...examplePlan, hazards: [warned] }));

    expect(shown).toContain('0 of 2 replicas serve; this stops 0 of them. One approval is needed.');
    expect(shown).toContain('Outage: Until someone scales up again.');
    expect(shown).toContain('+  replicas: 0');
    expect(shown).toContain('1. scale Deployment/vllm-server from 2 to 0');
    expect(shown).toContain('All requests are refused while it is at zero.');
    expect(shown).toContain('the kernel log (kernel.txt)');
    expect(shown).toContain('--current-replicas=0 --replicas=2');
    expect(shown).toContain('The API server warns: spec.x is deprecated');
  });

  it.each<[string, Partial<Plan>, readonly string[]]>([
    ['a plan without values', {}, ['approve', 'reject']],
    ['a plan with values', { edits: [edit] }, ['approve', 'edit', 'reject']],
    ['a plan that takes down what serves', { confirm: 'vllm-server' }, ['reject']],
  ])('of %s has its buttons', (_, over, buttons) => {
    expect(asks(planCard({ ...examplePlan, ...over }))).toEqual(buttons);
  });

  it.each<[string, Plan['serving'], string]>([
    ['stops', { ready: 2, total: 3, stopped: 2 }, '2 of 3 replicas serve; this stops 2 of them.'],
    [
      'replaces, a broken one among them',
      { ready: 2, total: 3, stopped: 0, replaced: 3 },
      '2 of 3 replicas serve; all 3 are replaced, at most 1 of those that serve at a time.',
    ],
    ['replaces where none serves', { ready: 0, total: 2, stopped: 0, replaced: 2 }, 'serve; all 2 are replaced.'],
    ['stops and replaces the only one', { ready: 1, total: 1, stopped: 1, replaced: 1 }, 'this stops 1 of them.'],
    ['replaces beside', { ready: 1, total: 1, stopped: 0, replaced: 1 }, 'it is replaced once another serves.'],
  ])('words what it %s', (_, serving, words) => {
    expect(text(planCard({ ...examplePlan, serving }))).toContain(words);
    expect(text(planPage({ ...examplePlan, serving }))).toContain(words);
  });

  it('says how many commands of the way back are not shown', () => {
    const [step] = examplePlan.steps;
    if (step === undefined) throw new Error('no step');
    const steps = Array.from({ length: 8 }, (_, i) => ({ ...step, n: i + 1 }));

    expect(text(planCard({ ...examplePlan, steps }))).toContain('and 2 more: `oom plan` prints all.');
    expect(text(planCard(examplePlan))).not.toContain('more: `oom plan`');
  });

  it.each([
    [false, true],
    [true, false],
  ])('names what else it could be where the cause is proved is %s: %s', (causeCertain, shown) => {
    const plan: Plan = { ...examplePlan, causeCertain, alternatives: ['unknown'] };

    for (const message of [planCard(plan), planPage(plan)])
      expect(/It could also be: /.test(text(message))).toBe(shown);
  });

  it('shows a command of the way back whole, or not at all', () => {
    const long = `kubectl patch ${'x'.repeat(1000)}`;
    const steps = examplePlan.steps.map((step) => (step.kind === 'write' ? { ...step, inverseCommand: long } : step));

    const shown = text(planCard({ ...examplePlan, steps }));

    expect(shown).not.toContain('kubectl patch x');
    expect(shown).toMatch(/taken back by the button Roll back/);
  });

  const open = [
    {
      branch: 'ram/limit',
      finding: 'x',
      missing: [{ fact: 'a', reason: 'not-in-snapshot' as const, needs: 'the kernel log' }],
    },
  ];
  it.each<[string, Partial<Plan>, RegExp, RegExp]>([
    [
      'doubt of all',
      { certain: false, causeCertain: false, notRuledOut: open },
      /Neither which memory ran out nor the cause is proved; missing[\s\S]*the kernel log/,
      /would not change/,
    ],
    [
      'doubt of the cause alone',
      { certain: true, causeCertain: false, notRuledOut: open },
      /Which memory ran out is proved, the cause is not; missing[\s\S]*the kernel log/,
      /would not change|Neither/,
    ],
    [
      'doubt of a plan of before',
      { certain: undefined, causeCertain: false, notRuledOut: [] },
      /That this is the cause is not proved\./,
      /missing|memory ran out/,
    ],
    [
      'no doubt',
      { certain: true, causeCertain: true, notRuledOut: open },
      /Not checked \(nothing points to it\)[\s\S]*the kernel log/,
      /not proved/,
    ],
    [
      'doubt that nothing would settle',
      { certain: true, causeCertain: false, notRuledOut: [] },
      /proved, the cause is not\./,
      /missing/,
    ],
    [
      'nothing open',
      { certain: true, causeCertain: true, notRuledOut: [] },
      /Steps/,
      /not proved|Could not be checked/,
    ],
  ])('words %s as such, in Slack and in the terminal', (_, over, says, not) => {
    for (const shown of [text(planCard({ ...examplePlan, ...over })), text(planPage({ ...examplePlan, ...over }))]) {
      expect(shown).toMatch(says);
      expect(shown).not.toMatch(not);
    }
  });

  it('is one that Slack takes, however long its parts are', () => {
    const long = 'x'.repeat(9000);
    const step = examplePlan.steps[0];
    if (step?.kind !== 'write') throw new Error('no write');
    const plan: Plan = {
      ...examplePlan,
      diff: Array.from({ length: 400 }, () => `+ ${long}`).join('\n'),
      steps: Array.from({ length: 40 }, (_, i) => ({ ...step, n: i + 1, says: long, inverseCommand: long })),
      hazards: Array.from({ length: 40 }, () => ({ id: 'x', says: long, done: long, blocks: false })),
      cost: long,
      supply: long,
    };

    const { text: summary, blocks } = drawMessage(
      planCard(plan, { approvedBy: Array.from({ length: 40 }, (_, i) => `U_${i}`) }),
    );

    expect(validateMessage({ text: summary, blocks })).toEqual([]);
    expect(JSON.stringify(blocks)).toContain('oom:approve:0');
  });
});

describe('the card of a run', () => {
  const run = (over: Partial<Run>): Message => runCard({ ...exampleRun, ...over }, examplePlan);
  const done = exampleRun.steps.map((step) => ({ ...step, phase: 'done' as const }));
  const undone = exampleRun.steps.map((step) => ({ ...step, phase: 'not-run' as const }));

  it.each<[string, Partial<Run>, readonly string[]]>([
    ['runs', {}, ['abort']],
    ['was asked to abort', { command: 'abort', commandBy: 'U_ONCALL' }, []],
    ['goes back', { state: 'compensating' }, []],
    ['is done', { state: 'done', outcome: 'All steps are done.' }, ['plan', 'roll-back']],
    ['has failed', { state: 'failed', outcome: 'A step failed.' }, ['roll-back']],
    ['was abandoned midway', { state: 'aborted', outcome: 'Abandoned.', steps: done }, ['roll-back']],
    ['was aborted before it wrote', { state: 'aborted', outcome: 'Aborted.', steps: undone }, []],
    ['was taken back', { state: 'rolled-back', outcome: 'Rolled back.' }, []],
  ])('that %s offers what can still be done', (_, over, buttons) => {
    expect(asks(run(over))).toEqual(buttons);
  });

  it('offers the way up by a plan of its own, and only where nothing is left', () => {
    const ended = (plan: Partial<Plan>): Message =>
      runCard({ ...exampleRun, state: 'done', outcome: 'All steps are done.' }, { ...examplePlan, ...plan });
    const lowered = examplePlan.steps.filter(({ kind }) => kind === 'write');

    const up = { asks: 'plan', label: 'Scale back up', value: `${examplePlan.incidentId} scale-up` };
    expect(ended({}).choices).toContainEqual(up);
    expect(asks(ended({ steps: lowered }))).toEqual(['roll-back']);
    expect(asks(ended({ action: 'stop-bleed' }))).toEqual(['roll-back']);
  });

  it('tells each check with its figure, and a no louder than a yes', () => {
    const shown = text(
      run({
        checks: [
          { check: 'restarts', answer: 'yes', says: 'none since the change' },
          { check: 'kv-cache', answer: 'no', says: '99% is above 95%' },
          { check: 'ram', answer: 'could-not-tell', says: 'Prometheus did not answer' },
        ],
      }),
    );

    expect(shown).toMatch(
      /No restarts: yes · none since[\s\S]*KV cache under its mark: NO · 99%[\s\S]*RAM under its mark: could not tell · Prometheus/,
    );
  });

  const watched: Plan = {
    ...examplePlan,
    steps: [...examplePlan.steps, { kind: 'verify', n: 3, says: 'x', replicas: 1, forMs: 1, everyMs: 1 }],
  };
  const seen = (...answers: CheckResult['answer'][]): Run['checks'] =>
    answers.map((answer, i) => ({ check: ['ram', 'oom-signature', 'queue'][i] ?? 'ttft', answer, says: 'x' }));
  it.each<[string, Plan, Run['checks'], 'ok' | 'warn']>([
    ['all yes', watched, seen('yes', 'yes', 'yes'), 'ok'],
    ['half of them untold', watched, seen('could-not-tell', 'yes', 'could-not-tell', 'yes'), 'ok'],
    ['most of them untold', watched, seen('could-not-tell', 'yes', 'could-not-tell'), 'warn'],
    ['the memory failure untold', watched, seen('yes', 'could-not-tell', 'yes', 'yes', 'yes'), 'warn'],
    ['nothing looked at', watched, [], 'warn'],
    ['nothing to look at', examplePlan, [], 'ok'],
  ])('that is done with %s is good only where that was seen', (_, plan, checks, mark) => {
    const message = runCard({ ...exampleRun, state: 'done', outcome: 'x', checks }, plan);

    expect(message.blocks[0]).toMatchObject({ kind: 'headline', mark });
    expect(/not verified/.test(text(message))).toBe(mark === 'warn');
  });

  it('names the people of its outcome, and nobody that foreign text names', () => {
    const outcome = 'Aborted: U_APPROVER asked for it. Rollback stopped: set to U_STRANGER.';
    const run: Run = { ...exampleRun, state: 'failed', outcome, commandBy: 'U_APPROVER', startedBy: 'U_ONCALL' };

    const [paragraph] = runCard(run, examplePlan).blocks.filter(({ kind }) => kind === 'paragraph');

    expect(paragraph).toMatchObject({
      spans: [
        { kind: 'plain', text: 'Aborted: ' },
        { kind: 'user', id: 'U_APPROVER' },
        { kind: 'plain', text: expect.stringContaining('set to U_STRANGER.') },
      ],
    });
  });
});

describe('buttons', () => {
  it('to approve are drawn as the main one, those that undo as dangerous, the others plain', () => {
    const drawn = JSON.stringify(drawMessage(planCard({ ...examplePlan, edits: [edit] })).blocks);
    const back = JSON.stringify(
      drawMessage(runCard({ ...exampleRun, state: 'done', outcome: 'x' }, examplePlan)).blocks,
    );

    const style = (asked: string, blocks: string) =>
      new RegExp(`"oom:${asked}:\\d","text":[^}]*},"value":"[^"]*"(?:,"style":"(\\w+)")?}`).exec(blocks)?.[1];
    expect(['approve', 'edit', 'reject'].map((one) => style(one, drawn))).toEqual(['primary', undefined, 'danger']);
    expect(style('roll-back', back)).toBe('danger');
  });
});

describe('a finding', () => {
  it.each([
    ['with something to do, where changes are allowed', true, {}, ['plan', 'explain']],
    ['with something to do, where they are not', false, {}, ['explain']],
    [
      'with advice alone',
      true,
      { remedies: [{ action: 'advise', says: 'Look.', edits: [], direction: 'none', kind: 'stop-bleed' }] },
      ['explain'],
    ],
    ['with nothing to do', true, { remedies: [] }, ['explain']],
  ] as const)('%s', (_, mayPlan, verdict, buttons) => {
    const message = card(anInput({ mayPlan, verdict: verdict as never }));

    expect(asks(message)).toEqual(buttons);
    expect(message.choices?.every(({ value }) => value === 'inc_00000000000000000001')).toBe(true);
  });
});

describe('the help', () => {
  it('names the words of acting only where there is acting', () => {
    expect(text(helpMessage('/oom'))).toMatch(/changes nothing/);
    expect(text(helpMessage('/oom'))).not.toMatch(/approve|rollback/);
    expect(text(helpMessage('/oom', { acting: true }))).toMatch(
      /\/oom plan <incident>[\s\S]*\/oom abort[\s\S]*before somebody approves it/,
    );
  });
});
