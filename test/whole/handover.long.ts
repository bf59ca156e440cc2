import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { runOom } from '../fakes/terminal.ts';
import { args, click, ended, messages, pass, planned, type Scene, told, useMovedTime } from './acting-scene.ts';
import { buttons, jump, press, replies, takeOver } from './shift-story.ts';

useMovedTime();

/** The post-mortem draft as it is attached next to the finding; the same on every export. */
async function exportOf(scene: Scene): Promise<string> {
  const { stage } = scene;
  const id = /inc_\w+/.exec(textsOf(scene.stage.slack.state.messages[0] as StoredMessage))?.[0];
  const drafts = () => [...stage.slack.state.files.values()].filter(({ name }) => name === `post-mortem-${id}.md`);
  for (const count of [1, 2]) {
    await scene.people().command({ text: `export ${id}`, channel: 'C_LLM', user: 'U_ONCALL' });
    await stage.slack.until('the draft', () => drafts()[count - 1]?.threadTs);
  }
  const [first, second] = drafts();
  expect(String(second?.bytes)).toBe(String(first?.bytes));
  return String(first?.bytes ?? '');
}

async function applied(): Promise<Scene & { readonly card: StoredMessage }> {
  const scene = await planned();
  const { card } = scene;
  await click(scene, 'approve', 'U_APPROVER', card);
  await pass(scene, 'the end of the run', () => ended.test(card.text));
  await pass(scene, 'the expiry on the card', () => textsOf(card).includes('Make it permanent in Git'));
  return scene;
}

describe('a temporary change', () => {
  it('is entered, reminded of, extended after a restart, found made permanent, and closed', async () => {
    const scene = await applied();
    const { card, stage } = scene;
    expect(buttons(card).map(({ text }) => text.text)).toEqual(['Roll back…', 'Show patch', 'Mark permanent']);

    await press(scene, 'Show patch', 'U_ONCALL', card);
    await stage.slack.until('the patch', () => told(scene, 'U_ONCALL').includes('kind: Deployment'));
    expect(told(scene, 'U_ONCALL')).toMatch(/- name: vllm\s+args:[\s\S]*- "24736"/);

    await scene.people().command({ text: 'changes', channel: 'C_LLM', user: 'U_ONCALL' });
    await stage.slack.until('the list', () => told(scene, 'U_ONCALL').includes('1 temporary change.'));
    expect(told(scene, 'U_ONCALL')).toContain('--max-model-len 131072 → 24736 on llm/vllm-server · prod');

    const exported = await exportOf(scene);
    expect(exported).toContain('| `--max-model-len` | `131072` | `24736` |');
    expect(exported).toMatch(/Requested by U_ONCALL at .* UTC\n- Approved by U_APPROVER at 2026-01-15 /);
    expect(exported).toMatch(/`chg_\w+` `--max-model-len 131072 → 24736`: still temporary, expires 2026-01-16 /);
    expect(exported).toMatch(/\| 2026-01-15 03:\S+ \| U_APPROVER \| Approved plan_\w+ \|/);
    expect(exported).toMatch(/\| oombot \| Run run_\w+ not verified: no data \|/);

    await jump(scene, 23.1);
    const reminder = await stage.slack.until('the reminder', () => replies(scene, 'expires soon')[0]);
    await scene.restart();
    await press(scene, 'Extend 24 h', 'U_STRANGER', reminder);
    await stage.slack.until('a refusal', () => told(scene, 'U_STRANGER') !== '');
    expect(replies(scene, 'Extended')).toEqual([]);
    await press(scene, 'Extend 24 h', 'U_APPROVER', reminder);
    await stage.slack.until('the extension', () => replies(scene, 'Extended')[0]);
    await stage.slack.until('no buttons', () => buttons(reminder).length === 0);

    takeOver(scene);
    await jump(scene, 1);
    const closed = await stage.slack.until('the end', () => replies(scene, 'Permanent, set by helm')[0]);
    await stage.slack.until('the card', () => /Permanent, set\s+by\s+helm/.test(textsOf(card)));
    await jump(scene, 48);

    expect(closed.threadTs).toBe(reminder.threadTs);
    expect(replies(scene, 'expires soon')).toHaveLength(1);
    expect(replies(scene, 'expired')).toEqual([]);
    expect(buttons(card).map(({ text }) => text.text)).toEqual(['Roll back…']);
    expect(args(scene)).toContain('"24736"');
    expect((await runOom(['--config', stage.file, 'changes'])).out).toContain('No temporary changes.');
  });

  it('is rolled back from its reminder, and nothing is told of it after that', async () => {
    const scene = await applied();
    await jump(scene, 24.1);
    const reminder = await scene.stage.slack.until('the reminder', () => replies(scene, 'change expired')[0]);

    await press(scene, 'Roll back…', 'U_APPROVER', reminder);
    await pass(scene, 'the rollback', () => /^Rolled back/.test(scene.card.text));
    await jump(scene, 30);

    expect(args(scene)).toContain('"131072"');
    expect(replies(scene, 'change expired')).toHaveLength(1);
    expect((await runOom(['--config', scene.stage.file, 'changes'])).out).toContain('No temporary changes.');
  });
});

describe('a handover that is typed while Slack is away', () => {
  it('has its timeline below it also where the bot restarts before Slack takes it', async () => {
    const scene = await planned();
    const { slack, folder } = scene.stage;
    const id = /inc_\w+/.exec(textsOf(messages(scene.stage)[0] as StoredMessage))?.[0];
    slack.faults.next('chat.postMessage', { kind: 'error', error: 'fatal_error' }, Number.POSITIVE_INFINITY);
    await scene.people().command({ text: `handover ${id}`, channel: 'C_LLM', user: 'U_ONCALL' });
    const waiting = () => {
      const database = new DatabaseSync(join(folder, 'oom.db'), { readOnly: true });
      const rows = database.prepare("select id from outbox where kind like 'handover/%' and body is not null").all();
      database.close();
      return rows.length > 0;
    };
    await pass(scene, 'a handover that waits', waiting);

    await scene.restart();
    slack.faults.clear();

    const timelines = () => replies(scene, `Timeline of ${id}`);
    await pass(scene, 'the timeline', () => timelines().length > 0);
    expect(timelines()).toHaveLength(1);
  });
});
