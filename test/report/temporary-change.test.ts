import { describe, expect, it } from 'vitest';
import type { TemporaryChange } from '../../src/model/temporary-change.ts';
import { runCard } from '../../src/report/run-card.ts';
import {
  type ChangeNotice,
  changeDecided,
  changeNotice,
  changesMessage,
  patchMessage,
  withChange,
} from '../../src/report/temporary-change.ts';
import { drawTerminal } from '../../src/report/terminal.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';
import { validateMessage } from '../../src/slack/limits/message-limits.ts';
import { START } from '../fakes/clock.ts';
import { examplePlan, exampleRun } from '../model/plan-examples.ts';
import { AS_TEXT } from './inputs.ts';

const HOUR = 3_600_000;
const NOTICES = ['soon', 'expired', 'reverted', 'changed', 'gone', 'permanent'] as const satisfies ChangeNotice[];

function aChange(over: Partial<TemporaryChange> = {}): TemporaryChange {
  return {
    ...{ id: 'chg_1', runId: 'run_1', planId: 'plan_1', incidentId: 'inc_1', action: 'set-args' },
    target: examplePlan.target,
    values: [{ label: '--max-model-len', from: '131072', to: '24736' }],
    patch: 'spec:\n  template: {}\n',
    ...{ requestedBy: 'U_ONCALL', approvedBy: ['U_APPROVER'], cause: 'gpu.startup.kv-room' },
    ...{ appliedAt: START, expiresAt: START + 24 * HOUR },
    ...{ state: 'temporary', stateBy: null, why: null, stateAt: START },
    ...{ nextCheckAt: START, checkedAt: START, checkFault: null },
    ...over,
  };
}

const long = 'x'.repeat(5000);
const HUGE = aChange({
  values: Array.from({ length: 30 }, () => ({ label: long, from: long, to: `${long}\n<!channel>` })),
  patch: `${long}\n`.repeat(500),
  approvedBy: Array.from({ length: 5 }, (_, i) => `U_${i}`),
  why: long,
  checkFault: long,
  stateBy: long,
});
const textOf = (message: Parameters<typeof drawTerminal>[0]) => drawTerminal(message, AS_TEXT);

describe('messages about a temporary change', () => {
  it.each([
    ...NOTICES.map((notice) => [notice, changeNotice(aChange(), notice), changeNotice(HUGE, notice)] as const),
    [
      'list',
      changesMessage([aChange()], START, '/oom'),
      changesMessage(
        Array.from({ length: 60 }, () => HUGE),
        START,
        '/oom',
      ),
    ],
    ['patch', patchMessage(aChange()), patchMessage(HUGE)],
    [
      'decision',
      changeDecided(aChange(), { decision: 'extended', by: 'U_APPROVER' }),
      changeDecided({ ...HUGE, state: 'closed' }, { decision: 'closed', by: HUGE.requestedBy }),
    ],
  ] as const)('%s is short and valid for Slack, also with huge values', (_, usual, huge) => {
    expect(validateMessage(drawMessage(usual))).toEqual([]);
    expect(validateMessage(drawMessage(huge))).toEqual([]);
    expect(textOf(usual).split('\n').length).toBeLessThanOrEqual(12);
    expect(JSON.stringify(drawMessage(huge))).not.toContain('<!channel>');
  });

  it('mention people, and no field manager that is named like one', () => {
    const reverted = JSON.stringify(
      drawMessage(changesMessage([aChange({ state: 'reverted', stateBy: 'U0HELM' })], START, '/oom')),
    );

    expect(reverted).not.toMatch(/<@U0HELM>|"user_id":"U0HELM"/);
    expect(reverted).toContain('U_ONCALL');
  });

  it('are lines on the card of a run, before the small print, until it is rolled back', () => {
    const card = runCard({ ...exampleRun, state: 'done', outcome: 'All steps done.' }, examplePlan);

    const { blocks, choices } = withChange(card, aChange());

    expect(textOf({ summary: 'x', blocks: blocks.slice(-2) })).toMatch(/^Temporary: expires 2026-01-16 03:00:00 UTC\./);
    expect(choices?.slice(-2).map(({ value }) => value)).toEqual(['patch chg_1', 'permanent chg_1']);
    expect(withChange(card, aChange({ state: 'rolled-back' }))).toEqual(card);
    expect(withChange(card, undefined)).toEqual(card);
  });

  it('count what is expired', () => {
    const text = textOf(changesMessage([aChange(), aChange({ expiresAt: START })], START + 1, '/oom'));

    expect(text).toContain('2 temporary changes, 1 expired.');
  });
});
