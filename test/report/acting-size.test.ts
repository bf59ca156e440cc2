import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/model/message.ts';
import type { Plan, Run } from '../../src/model/plan.ts';
import { planCard, planReminder, planThread } from '../../src/report/plan-card.ts';
import { runCard, runReport } from '../../src/report/run-card.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { examplePlan } from '../model/plan-examples.ts';
import { APPROVERS, CHECKS, RUNS, stopBleed } from './acting-messages.ts';
import { visibleText } from './visible-text.ts';

const LONG = 'x'.repeat(64);
const RTL = 'مدخلات الخدمة '.repeat(150);

/** A plan of one's own playbook at every limit. */
function huge(plan: Plan, text: string): Plan {
  const object = { ...plan.target.object, name: LONG, namespace: LONG };
  return {
    ...plan,
    target: { ...plan.target, cluster: LONG, object },
    edits: plan.edits.map((one) => ({ ...one, to: text, why: text })),
    steps: plan.steps.map((step) => ({ ...step, says: text })),
    diff: Array.from({ length: 300 }, (_, i) => `+  ${i} ${text.slice(0, 90)}`).join('\n'),
    serving: { ready: 150, total: 300, stopped: 150, replaced: 300 },
    outage: { ms: 68_000, says: text },
    supply: text,
    cost: text,
    hazards: Array.from({ length: 9 }, (_, i) => ({ id: `h${i}`, says: text, done: text, blocks: false })),
    approvals: 5,
    certain: true,
  };
}

const hugeRun = (run: Run, text: string): Run => ({
  ...run,
  target: huge(stopBleed, text).target,
  outcome: run.outcome === null ? null : text,
  steps: run.steps.map((step) => ({ ...step, message: text })),
  checks: run.checks.map((one, i) => ({ ...one, answer: i < 5 ? ('no' as const) : one.answer, says: `${i} ${text}` })),
});

const TEXTS: readonly (readonly [string, string])[] = [
  ['2,000 characters', 'cause '.repeat(334)],
  ['right-to-left text', RTL],
];

const PLANS: readonly (readonly [string, Plan])[] = [
  ['to zero', examplePlan],
  ['in sequence', stopBleed],
  [
    'one that stops ready replicas',
    { ...stopBleed, confirm: 'vllm-server', serving: { ready: 2, total: 2, stopped: 2 } },
  ],
  ...TEXTS.flatMap(([name, text]) => [
    [`with ${name}`, huge(stopBleed, text)] as const,
    [`with ${name}, to be typed`, { ...huge(stopBleed, text), confirm: LONG }] as const,
  ]),
];

const people = Array.from({ length: 5 }, (_, i) => `U_APPROVER${i}`);
const groups = { groups: ['S_APPROVERS', 'S_ONCALL', 'S_LEADS'], users: [] };

const RUN_CARDS: readonly (readonly [string, Message])[] = Object.entries(RUNS).flatMap(([name, run]) => [
  [name, runCard(run, stopBleed, undefined, ['U_APPROVER'])] as const,
  [`${name}, on hold`, runCard(run, stopBleed, { by: 'U_ONCALL', reason: RTL }, people)] as const,
  ...TEXTS.map(
    ([what, text]) =>
      [`${name} with ${what}`, runCard(hugeRun(run, text), huge(stopBleed, text), undefined, people)] as const,
  ),
]);

const PLAN_CARDS: readonly (readonly [string, Message])[] = PLANS.flatMap(([name, plan]) => [
  [name, planCard(plan, { approvers: APPROVERS })] as const,
  [`${name}, partly approved`, planCard(plan, { approvers: groups, approvedBy: people })] as const,
  [
    `the reminder of ${name}`,
    planReminder(plan, { approvers: groups, approvedBy: people, link: 'https://chat.example/1' }),
  ] as const,
]);

const THREADS: readonly (readonly [string, Message])[] = [
  ...PLANS.map(([name, plan]) => [`the thread of the plan ${name}`, planThread(plan)] as const),
  ...TEXTS.map(
    ([name, text]) => [`the report with ${name}`, runReport(hugeRun(RUNS.failed ?? raise(), text), stopBleed)] as const,
  ),
];

function raise(): never {
  throw new Error('no such run');
}

const buttonsOf = (message: Message) =>
  drawMessage(message).blocks.flatMap((block) => (block.type === 'actions' ? block.elements : []));
const PRODUCTION = /^oom:(approve|abort|go-on|roll-back):/;

describe.each([...PLAN_CARDS, ...RUN_CARDS])('%s', (_, message) => {
  it('has at most 8 blocks and 1,000 visible characters', () => {
    const drawn = drawMessage(message);

    expect(validateMessage(drawn, 'update')).toEqual([]);
    expect(drawn.blocks.length).toBeLessThanOrEqual(8);
    expect(visibleText(message).length).toBeLessThanOrEqual(1000);
    expect(JSON.stringify(drawn.blocks)).not.toContain('did not fit');
  });

  it('asks before each button that changes production, and before no other', () => {
    for (const button of buttonsOf(message)) {
      const isProduction = 'action_id' in button && PRODUCTION.test(button.action_id ?? '');
      expect(['style' in button, 'confirm' in button]).toEqual([isProduction, isProduction]);
      if (!('confirm' in button) || button.confirm === undefined) continue;
      const { name } = /x{64}/.test(button.confirm.text?.text ?? '') ? { name: LONG } : stopBleed.target.object;
      expect(button.confirm.text?.text).toContain(name);
    }
  });
});

describe.each(THREADS)('%s', (_, message) => {
  it('is one that Slack takes whole', () => {
    const drawn = drawMessage(message);

    expect(validateMessage(drawn, 'post')).toEqual([]);
    expect(JSON.stringify(drawn.blocks)).not.toContain('did not fit');
  });
});

describe('the card of a run', () => {
  const cardOf = (name: string): string => visibleText(runCard(RUNS[name] ?? raise(), stopBleed));

  it('shows its steps in one line, and until when it watches', () => {
    expect(cardOf('starting')).toContain(
      '✓ set args · ✓ scale to 1 · ● 1 replica ready (41 s, usually 68 s, 0 of 1 ready) · ○ watch 10 min',
    );
    const watching = JSON.stringify(drawMessage(runCard(RUNS.watching ?? raise(), stopBleed)).blocks);
    expect(watching).toMatch(/Watching until "},\{"type":"date".*2026-01-15 03:11:00 UTC/);
  });

  it('says until when it watches for reverts, once all steps are done', () => {
    const run = RUNS.watching ?? raise();
    const at = Date.UTC(2026, 0, 15, 3, 0, 0);
    const steps = run.steps.map((record) => ({ ...record, phase: 'done' as const, endedAt: at }));
    const blocks = JSON.stringify(drawMessage(runCard({ ...run, steps }, stopBleed)).blocks);

    expect(blocks).toMatch(/All steps done. Watching until "},\{"type":"date".*2026-01-15 03:05:00 UTC.* for reverts/);
  });

  it('gives a long step in minutes and seconds, as other durations', () => {
    const run = RUNS.starting ?? raise();
    const later = { ...run, updatedAt: run.updatedAt + 60_000 };

    expect(visibleText(runCard(later, stopBleed))).toContain('(1 min 41 s, usually 68 s, ');
  });

  it('tells what it sets from what it restores', () => {
    const run = RUNS.starting ?? raise();
    const [write] = stopBleed.steps.filter((step) => step.kind === 'write');
    const patch = [{ op: 'replace' as const, path: '/spec/strategy', value: null }];
    const steps = ['change the rollout settings', 'restore the rollout settings'].map((says, i) => {
      return { ...(write ?? raise()), n: i + 1, says, patch };
    });

    expect(visibleText(runCard({ ...run, steps: [] }, { ...stopBleed, steps }))).toContain(
      '○ set rollout settings · ○ restore rollout settings',
    );
  });

  it('gives the reason for missing data without the names of metrics and of a second source', () => {
    const why = 'metrics: Prometheus has no such series for the container in this window; the API server failed (503)';
    const checks = [{ check: 'ram', answer: 'could-not-tell' as const, says: why }];

    expect(visibleText(runCard({ ...(RUNS.done ?? raise()), checks }, stopBleed))).toContain(
      'no data (RAM: Prometheus has no such series for the container in this window)',
    );
  });

  it('tells a reason that several checks share once', () => {
    expect(cardOf('done')).toContain(
      '3 no data (queue, latency P99, short requests: Prometheus has no series for this pod)',
    );
    expect(cardOf('unverified').match(/did not answer/g)).toHaveLength(1);
  });

  it('shows after a rollback the state now and the next step, and none of the old checks', () => {
    const shown = cardOf('rolled back');

    expect(shown).toMatch(/0 of 1 replicas ready\. Why: check failed.*Next: .*Plan mitigation…$/s);
    expect(shown).not.toMatch(/Checks|passed|no data/);
    expect(visibleText(runReport(RUNS['rolled back'] ?? raise(), stopBleed))).not.toMatch(/Checks|passed/);
  });

  it('tells why it failed once', () => {
    expect(cardOf('failed').match(/new CUDA OOM/g)).toHaveLength(1);
    expect(CHECKS.length).toBeGreaterThan(8);
  });
});
