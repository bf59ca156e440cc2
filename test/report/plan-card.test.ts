import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import { type CheckResult, FAILED_BEFORE, type Plan, type Run } from '../../src/model/plan.ts';
import { card } from '../../src/report/card.ts';
import { helpMessage } from '../../src/report/help.ts';
import { planCard, planThread } from '../../src/report/plan-card.ts';
import { planDetails, planPage } from '../../src/report/plan-page.ts';
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
  it('says first what it does and its impact, then the diff, then who approves', () => {
    const plan: Plan = { ...examplePlan, hazards: [warned] };
    const lines = text(planCard(plan, { approvers: { groups: ['S_APPROVERS'], users: [] } })).split('\n');

    expect(lines[0]).toBe('▲ Proposed: scale vllm-server to 0 · llm · prod');
    expect(lines[1]).toMatch(
      /^Impact: Already down \(0 of 2 replicas ready\)\. Down until someone scales it up again\./,
    );
    expect(lines.indexOf('  ┃ + replicas: 0')).toBeLessThan(7);
    expect(lines).toContain('The API server warns: spec.x is deprecated Rollback: one click. Confidence: likely.');
    expect(lines.join('\n')).toMatch(/@S_APPROVERS: 1 approval needed, expires 2026-01-15 03:15:00 UTC/);
  });

  it('leaves steps, rollback commands and notes to the thread', () => {
    const thread = text(planThread({ ...examplePlan, hazards: [warned] }));

    expect(thread).toContain('1. scale Deployment/vllm-server from 2 to 0');
    expect(thread).toContain('the kernel log (kernel.txt)');
    expect(thread).toContain('--current-replicas=0 --replicas=2');
    expect(thread).toContain('The API server warns: spec.x is deprecated');
    expect(text(planCard(examplePlan))).not.toMatch(/Steps|kubectl/);
  });

  it('mentions groups before people, and nobody where nobody may approve', () => {
    const asked = (groups: string[], users: string[]) => text(planCard(examplePlan, { approvers: { groups, users } }));

    expect(asked(['S_APPROVERS'], ['U_APPROVER'])).toMatch(/@S_APPROVERS: 1 approval/);
    expect(asked([], ['U_APPROVER', 'U_ONCALL'])).toMatch(/U_APPROVER U_ONCALL: 1 approval/);
    expect(asked([], [])).toMatch(/^1 approval needed/m);
  });

  it.each<[string, Partial<Plan>, readonly string[]]>([
    ['a plan without values', {}, ['approve', 'reject']],
    ['a plan with values', { edits: [edit] }, ['approve', 'edit', 'reject']],
    ['a plan that takes down what serves', { confirm: 'vllm-server' }, ['reject']],
  ])('of %s has its buttons', (_, over, buttons) => {
    expect(asks(planCard({ ...examplePlan, ...over }))).toEqual(buttons);
  });

  it.each<[string, Plan['serving'], string]>([
    ['stops', { ready: 2, total: 3, stopped: 2 }, '2 of 3 replicas ready; stops 2 of them.'],
    [
      'replaces, a broken one among them',
      { ready: 2, total: 3, stopped: 0, replaced: 3 },
      '2 of 3 replicas ready; replaces all 3, at most 1 ready replica at a time.',
    ],
    [
      'replaces where none serves',
      { ready: 0, total: 2, stopped: 0, replaced: 2 },
      'Already down (0 of 2 replicas ready).',
    ],
    [
      'stops and replaces the only one',
      { ready: 1, total: 1, stopped: 1, replaced: 1 },
      '1 of 1 replicas ready; stops 1 of them.',
    ],
    ['replaces beside', { ready: 1, total: 1, stopped: 0, replaced: 1 }, 'it is replaced once the new one is ready.'],
  ])('words what it %s', (_, serving, words) => {
    expect(text(planCard({ ...examplePlan, serving }))).toContain(words);
    expect(text(planPage({ ...examplePlan, serving }))).toContain(words);
  });

  it('says each part of its impact once in the terminal', () => {
    const { outage, supply, cost } = examplePlan;
    const page = text(planPage(examplePlan)).replace(/\s+/g, ' ');

    const whole = `${page} ${text(planDetails(examplePlan))}`.replace(/\s+/g, ' ');

    for (const says of [outage.says, supply, cost]) {
      expect(page).toContain(says);
      expect(whole.split(says)).toHaveLength(2);
    }
  });

  it('warns in its second line, and once, of arguments that have failed', () => {
    const says = 'These arguments failed at 10:47 UTC and are unchanged: expect the same failure.';
    const hazards = [{ id: FAILED_BEFORE, says, done: null, blocks: false }, ...examplePlan.hazards];
    const plan: Plan = { ...examplePlan, hazards };

    for (const message of [planCard(plan), planPage(plan)])
      expect(text(message).split('\n').filter(Boolean)[1]).toContain(`Warning: ${says}`);
    expect(text(planCard(plan)).split(says)).toHaveLength(2);
    for (const message of [planThread(plan), planDetails(plan)]) expect(text(message)).not.toContain(says);
  });

  it('shows whole lines of a diff as far as they fit, and says where the others are', () => {
    const diff = `--- a\n+++ a\n@@ -1 +1 @@\n${Array.from({ length: 30 }, (_, i) => `+    - --flag-number-${i}`).join('\n')}\n`;

    const shown = text(planCard({ ...examplePlan, diff }));

    expect(shown).toMatch(/^ {2}┃ \+ - --flag-number-0\n/m);
    expect(shown).not.toMatch(/[-+@]{2,} [a-]|…/);
    const count = shown.match(/--flag-number/g)?.length ?? 0;
    expect(shown).toContain(`${30 - count} more diff lines in the thread.`);
    expect(text(planThread({ ...examplePlan, diff }))).toContain('--flag-number-29');
  });

  it.each([
    [false, true],
    [true, false],
  ])('names what else it could be where the cause is proved is %s: %s', (causeCertain, shown) => {
    const plan: Plan = { ...examplePlan, causeCertain, alternatives: ['unknown'] };

    for (const message of [planThread(plan), planDetails(plan)])
      expect(/Alternatives: /.test(text(message))).toBe(shown);
  });

  it('shows a rollback command whole, or says where it is', () => {
    const long = `kubectl patch ${'x'.repeat(1000)}`;
    const steps = examplePlan.steps.map((step) => (step.kind === 'write' ? { ...step, inverseCommand: long } : step));

    const shown = text(planThread({ ...examplePlan, steps }));

    expect(shown).not.toContain('kubectl patch x');
    expect(shown).toMatch(/# step 1: command too long[\s\S]*oom plan inc_\w+ prints all/);
  });

  const missing = [{ fact: 'a', reason: 'not-in-snapshot' as const, needs: 'the kernel log' }];
  const open = [{ branch: 'ram/limit', finding: 'x', missing }];
  const doubt = (certain: boolean | undefined, causeCertain: boolean, notRuledOut: Plan['notRuledOut'] = []) => {
    return { certain, causeCertain, notRuledOut };
  };
  it.each<[string, Partial<Plan>, RegExp, RegExp]>([
    [
      'doubt of all',
      doubt(false, false, open),
      /Neither the memory that failed nor the cause is certain; missing[\s\S]*the kernel log/,
      /would not change/,
    ],
    [
      'doubt of the cause alone',
      doubt(true, false, open),
      /The memory that failed is certain, the cause is not; missing[\s\S]*the kernel log/,
      /would not change|Neither/,
    ],
    ['doubt of a plan of before', doubt(undefined, false), /The cause is not certain\./, /missing|memory that failed/],
    ['no doubt', doubt(true, true, open), /Not checked \(no sign of these\)[\s\S]*the kernel log/, /not certain/],
    ['doubt that nothing would settle', doubt(true, false), /certain, the cause is not\./, /missing/],
    ['nothing open', doubt(true, true), /Steps/, /not certain|Could not be checked/],
  ])('words %s as such, in Slack and in the terminal', (_, over, says, not) => {
    for (const draw of [planThread, planDetails]) {
      const shown = text(draw({ ...examplePlan, ...over }));
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
    ['is done', { state: 'done', outcome: 'All steps done.' }, ['plan', 'roll-back']],
    ['has failed', { state: 'failed', outcome: 'A step failed.' }, ['roll-back']],
    ['was abandoned midway', { state: 'aborted', outcome: 'Abandoned.', steps: done }, ['roll-back']],
    ['was aborted before it wrote', { state: 'aborted', outcome: 'Aborted.', steps: undone }, []],
    ['was rolled back', { state: 'rolled-back', outcome: 'Rolled back.' }, ['plan']],
  ])('that %s offers what can still be done', (_, over, buttons) => {
    expect(asks(run(over))).toEqual(buttons);
  });

  it('offers the way up by a plan of its own, and only where nothing is left', () => {
    const ended = (plan: Partial<Plan>): Message =>
      runCard({ ...exampleRun, state: 'done', outcome: 'All steps done.' }, { ...examplePlan, ...plan });
    const lowered = examplePlan.steps.filter(({ kind }) => kind === 'write');

    const up = { asks: 'plan', label: 'Plan scale-up…', value: `${examplePlan.incidentId} scale-up` };
    expect(ended({}).choices).toContainEqual(up);
    expect(asks(ended({ steps: lowered }))).toEqual(['roll-back']);
    expect(asks(ended({ action: 'stop-bleed' }))).toEqual(['roll-back']);
  });

  it('groups checks into failed, passed and no data', () => {
    const shown = text(
      run({
        state: 'done',
        outcome: 'All steps done.',
        checks: [
          { check: 'restarts', answer: 'yes', says: 'none since the change' },
          { check: 'kv-cache', answer: 'no', says: '99% is above 95%' },
          { check: 'ram', answer: 'could-not-tell', says: 'Prometheus did not answer' },
        ],
      }),
    );

    expect(shown).toMatch(
      /Checks: 1 failed \(KV cache: 99% is above 95%\) · 1 passed \(no restarts\) · 1 no data \(RAM: Prometheus did\s+not\s+answer\)/,
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
    const outcome = 'Aborted: U_APPROVER requested it. Rollback stopped: set to U_STRANGER.';
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

it('buttons to approve are drawn as the main one, those that undo as dangerous, the others plain', () => {
  const styles = (message: Message) =>
    drawMessage(message)
      .blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []))
      .map((button) => ('style' in button ? button.style : undefined));

  expect(styles(planCard({ ...examplePlan, edits: [edit] }))).toEqual(['primary', undefined, undefined]);
  expect(styles(runCard({ ...exampleRun, state: 'done', outcome: 'x' }, examplePlan))).toEqual([undefined, 'danger']);
});

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
] as const)('a finding: %s', (_, mayPlan, verdict, buttons) => {
  const message = card(anInput({ mayPlan, verdict: verdict as never }));

  expect(asks(message)).toEqual(buttons);
  expect(message.choices?.every(({ value }) => value === 'inc_00000000000000000001')).toBe(true);
});

it('the help names the words of acting only where there is acting', () => {
  expect(text(helpMessage('/oom'))).toMatch(/changes nothing/);
  expect(text(helpMessage('/oom'))).not.toMatch(/approve|rollback/);
  expect(text(helpMessage('/oom', { acting: true }))).toMatch(
    /\/oom plan <incident>[\s\S]*\/oom abort[\s\S]*without approval/,
  );
});
