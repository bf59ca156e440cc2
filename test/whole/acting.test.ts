import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { textsOf } from '../../src/standins/slack/state.ts';
import {
  addArgs,
  args,
  begin,
  click,
  ended,
  messages,
  pass,
  planned,
  told,
  useMovedTime,
  withButton,
  written,
} from './acting-scene.ts';

useMovedTime();

const OWN_PATTERN = 'redaction: { patterns: [{ name: own, pattern: Nothing is changed yet }] }';

/** All rows of each table, those of the workflow engine too. */
function tablesOf(path: string): Map<string, string> {
  const database = new DatabaseSync(path, { readOnly: true });
  const names = database.prepare("select name from sqlite_master where type = 'table'").all();
  const tables = names.map(({ name }) => [
    String(name),
    JSON.stringify(database.prepare(`select * from "${name}"`).all()),
  ]);
  database.close();
  return new Map(tables as [string, string][]);
}

describe('the whole way of acting', () => {
  it('leads from a triage to a plan, an approval, one write of each value, a verified run, and back', async () => {
    const scene = await planned();
    const { card } = scene;
    expect(textsOf(card)).toMatch(/- - "131072"\n\+ - "24736"/);
    expect(written(scene.stage)).toEqual([]);

    await click(scene, 'approve', 'U_APPROVER', card);
    await pass(scene, 'the end of the run', () => ended.test(card.text));
    expect(card.text).toMatch(/^(?:Done|Applied)/);
    const forward = written(scene.stage);
    expect(args(scene)).toContain('"24736"');
    await click(scene, 'roll-back', 'U_APPROVER', card);
    await pass(scene, 'the rollback', () => /^Rolled back/.test(card.text));

    expect(forward.filter((write) => write.includes('24736'))).toHaveLength(1);
    expect(written(scene.stage).filter((write) => write.includes('131072'))).toHaveLength(1);
    expect(args(scene)).toContain('"131072"');
    expect(scene.stage.api.writes.every(({ userAgent }) => /incident inc_\w+; by U_/.test(userAgent))).toBe(true);
  });

  it('shows and keeps no secret: of the workload in the plan alone, of what people type nowhere', async () => {
    const [own, typed] = ['hunter2hunter2', `hf_${'Zq9fK2mWx7Lp4RtVb8Ys'.repeat(2)}`];
    const scene = await planned((stage) => {
      for (const object of stage.api.world.objects) addArgs(object, ['--api-key', 'k1', own]);
    });
    await scene.people().command({ text: `pause ${typed}`, channel: 'C_LLM', user: 'U_ONCALL' });
    await scene.people().command({ text: `rollback ${typed}`, channel: 'C_LLM', user: 'U_ONCALL' });
    await scene.stage.slack.until('both answers', () => scene.stage.slack.state.ephemerals.length >= 2);
    await scene.people().command({ text: 'resume', channel: 'C_LLM', user: 'U_APPROVER' });
    await click(scene, 'approve', 'U_APPROVER');
    await pass(scene, 'the end of the run', () => messages(scene.stage).some(({ text }) => ended.test(text)));

    const said = JSON.stringify(scene.stage.slack.state.calls);
    expect(said).not.toContain(own);
    expect(said).not.toContain(typed);
    const kept = tablesOf(join(scene.stage.folder, 'oom.db'));
    expect([...kept].filter(([, text]) => text.includes(typed)).map(([name]) => name)).toEqual([]);
    expect([...kept].filter(([, text]) => text.includes(own)).map(([name]) => name)).toEqual(['plan']);
  });

  it('keeps no secret of what a cluster answers, and shows nothing that a pattern of the team removes', async () => {
    const answered = `hf_${'Zq9fK2mWx7Lp4RtVb8Ys'.repeat(2)}`;
    const scene = await planned(undefined, undefined, { more: OWN_PATTERN });
    const text = JSON.stringify({ kind: 'Status', status: 'Failure', code: 422, message: `denied: ${answered}` });
    scene.stage.api.faults.on(/^PATCH (?!.*dryRun)/, { kind: 'body', status: 422, text });
    await click(scene, 'approve', 'U_APPROVER');
    await pass(scene, 'the end of the run', () => ended.test(scene.card.text));

    const said = JSON.stringify(scene.stage.slack.state.calls);
    const words = [/denied: \[redacted/, /\[redacted:own\]/, new RegExp(answered), /Nothing is changed yet/];
    expect(words.map((word) => word.test(said))).toEqual([true, true, false, false]);
    const kept = tablesOf(join(scene.stage.folder, 'oom.db'));
    expect([...kept].filter(([, text]) => text.includes(answered)).map(([name]) => name)).toEqual([]);
  });

  it('keeps nothing that a pattern of the team removes in a message that waits for Slack', async () => {
    const scene = await begin(undefined, { more: OWN_PATTERN });
    await scene.people().command({ text: `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`, channel: 'C_LLM' });
    const card = await withButton(scene, 'plan');
    scene.stage.slack.faults.next('*', { kind: 'error', error: 'fatal_error' }, Number.POSITIVE_INFINITY);
    await click(scene, 'plan', 'U_ONCALL', card);
    const waiting = () => tablesOf(join(scene.stage.folder, 'oom.db')).get('outbox') ?? '';

    const kept = await pass(scene, 'a plan that waits', () => /Proposed/.test(waiting()) && waiting());

    expect(kept).toContain('[redacted:own]');
    expect(kept).not.toContain('Nothing is changed yet');
  });

  it('runs once for a double click, and refuses a stranger', async () => {
    const scene = await planned();
    const { card } = scene;

    await click(scene, 'approve', 'U_STRANGER', card);
    await scene.stage.slack.until('a refusal', () => /may not approve here/.test(told(scene, 'U_STRANGER')));
    const before = { ...card, blocks: structuredClone(card.blocks) };
    await Promise.all([1, 2, 3].map(() => click(scene, 'approve', 'U_APPROVER', before)));
    await scene.stage.slack.until('an answer', () => /runs once/.test(told(scene, 'U_APPROVER')));
    await pass(scene, 'the end of the run', () => ended.test(card.text));
    expect(new Set(written(scene.stage)).size).toBe(written(scene.stage).length);
  });

  it('takes a click on a card that was drawn before a restart, and goes on with a run after one', async () => {
    const scene = await planned();
    const { card } = scene;

    await scene.restart();
    await click(scene, 'approve', 'U_APPROVER', card);
    await pass(scene, 'the first write', () => written(scene.stage).length > 0);
    await scene.restart();
    await pass(scene, 'the end of the run', () => ended.test(card.text));

    expect(card.text).toMatch(/^(?:Done|Applied)/);
    expect(written(scene.stage).filter((write) => write.includes('24736'))).toHaveLength(1);
  });

  it('goes on while Slack is away, and the card and the report come once it is back', async () => {
    const scene = await planned();
    const { card } = scene;
    await click(scene, 'approve', 'U_APPROVER', card);
    await pass(scene, 'the first write', () => written(scene.stage).length > 0);

    const { slack } = scene.stage;
    slack.faults.next('*', { kind: 'error', error: 'fatal_error' }, Number.POSITIVE_INFINITY);
    const shown = card.text;
    const since = Date.now();
    // Long enough that the run has ended by itself.
    await pass(scene, 'seven minutes', () => Date.now() - since > 7 * 60_000);
    // The roll-out settings, the change, and the settings back.
    expect(written(scene.stage)).toHaveLength(3);
    expect(card.text).toBe(shown);
    slack.faults.clear();
    await pass(scene, 'the card', () => ended.test(card.text));

    expect(card.text).toMatch(/^(?:Done|Applied)/);
    const reports = (): string[] =>
      messages(scene.stage)
        .filter(({ threadTs }) => threadTs !== undefined)
        .map(textsOf)
        .filter((text) => /^(?:Done|Applied)/.test(text) && !/approved by/.test(text));
    await pass(scene, 'the report', () => reports().length > 0);
    expect(reports()).toHaveLength(1);
  });
});
