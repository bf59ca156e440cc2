import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { deadEngineWorld, oomKilledWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { textsOf } from '../../src/standins/slack/state.ts';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { createSystemIds } from '../../src/system/ids.ts';
import { aClick } from '../fakes/plans.ts';
import {
  args,
  buttonOf,
  click,
  ended,
  messages,
  pass,
  planned,
  quiet,
  START,
  told,
  useMovedTime,
  written,
} from './acting-scene.ts';

useMovedTime();

describe('the cards of acting', () => {
  it('mentions the approvers, asks before each change, and reminds once at half of the time, also after a restart', async () => {
    const scene = await planned();
    const { card, stage } = scene;
    const waiting = () => messages(stage).filter(({ text }) => text.startsWith('Still waiting for approval'));
    const details = await stage.slack.until('the details', () =>
      messages(stage).find(({ text }) => text.startsWith('Details of the plan')),
    );

    expect(JSON.stringify(card.blocks)).toContain('{"type":"usergroup","usergroup_id":"S_APPROVERS"}');
    expect(JSON.stringify(card.blocks)).toMatch(
      /"oom:approve:0".*"style":"primary","confirm":.*Restart vllm-server with --max-model-len 24736 in llm \(prod\)\?.*"oom:reject:2"/,
    );
    expect(details.threadTs).toBe(card.threadTs);
    expect(textsOf(details)).toMatch(/Steps[\s\S]*Rollback commands\nkubectl/);
    scene.advance(7 * 60_000);
    await quiet(stage);
    expect(waiting()).toEqual([]);
    await scene.restart();
    await pass(scene, 'the reminder', () => waiting().length > 0);
    await scene.restart();
    scene.advance(2 * 60_000);
    await quiet(stage);

    expect(waiting()).toHaveLength(1);
    expect(waiting()[0]?.threadTs).toBe(card.threadTs);
    expect(JSON.stringify(waiting()[0]?.blocks)).toContain('"usergroup_id":"S_APPROVERS"');
    await scene.people().openHome('U_ONCALL');
    const home = await stage.slack.until('the Home tab', () => stage.slack.state.homes.get('U_ONCALL'));
    expect(JSON.stringify(home)).toMatch(
      /oombot: 1 open incident, 1 waiting for approval.*https?:[^|]*\|inc_\w+>.*Plan mitigation….*restart vllm-server.*"type":"link".*plan_\w+.*Refresh.*Temporary changes/,
    );
  });

  it('plans from the Home tab below the finding, and lists the changes there', async () => {
    const scene = await planned();
    const { stage, card } = scene;
    const homeWith = (words: RegExp) =>
      stage.slack.until(`${words} in the Home tab`, () => {
        const home = stage.slack.state.homes.get('U_ONCALL');
        return home !== undefined && words.test(JSON.stringify(home)) ? home : undefined;
      });
    await scene.people().openHome('U_ONCALL');
    const home = await homeWith(/1 waiting for approval/);

    await scene.people().click({ actionId: 'oom:menu:0', line: 'Plan mitigation…', on: { home }, user: 'U_ONCALL' });
    const replaced = await stage.slack.until('another plan', () =>
      messages(stage).find((one) => one.ts !== card.ts && buttonOf(one, 'approve') !== undefined),
    );
    await scene.people().click({ actionId: 'oom:changes:2', on: { home }, user: 'U_ONCALL' });

    await homeWith(/No temporary changes.*1 waiting for approval/);
    expect(replaced.threadTs).toBe(card.threadTs);
    await scene.people().click({
      ...{ actionId: 'oom:menu:0', line: 'Plan mitigation…', on: { home }, user: 'U_STRANGER' },
    });
    await stage.slack.until('the refusal', () =>
      /may not plan/.test(JSON.stringify(stage.slack.state.homes.get('U_STRANGER') ?? '')),
    );
  });

  it('rolls the rollout back that cut the memory limit, by the first button of the card', async () => {
    const scene = await planned(undefined, oomKilledWorld(START));
    const [finding] = messages(scene.stage);
    expect(finding && textsOf(finding)).toMatch(
      /The rollout at 02:00 UTC \(56 min earlier, by helm\) cut the memory limit from 64Gi to 32Gi\.[\s\S]*Roll back that rollout\./,
    );
    expect(textsOf(scene.card)).toMatch(/-\s+memory: "?32Gi"?[\s\S]*\+\s+memory: "?64Gi"?/);

    await click(scene, 'approve', 'U_APPROVER', scene.card);
    await pass(scene, 'the end of the run', () => ended.test(scene.card.text));

    expect(scene.card.text).toMatch(/^(?:Done|Applied)/);
    expect(args(scene)).toContain('"memory":"64Gi"');
    expect(args(scene)).not.toContain('"32Gi"');
  });

  it('takes the pod of a dead engine out of its Service and has another one made', async () => {
    const scene = await planned(undefined, deadEngineWorld(START));
    const pods = () => scene.stage.api.world.objects.filter(({ kind }) => kind === 'Pod');
    const [finding] = messages(scene.stage);
    expect(finding && textsOf(finding)).toMatch(/Engine dead, pod still Ready: .* answers 500 and still gets traffic/);

    await click(scene, 'approve', 'U_APPROVER', scene.card);
    await pass(scene, 'the end of the run', () => ended.test(scene.card.text));

    expect(scene.card.text).toMatch(/^(?:Done|Applied)/);
    const [dead, fresh] = pods();
    expect(dead?.metadata.labels?.app).toBe('out-of-service');
    expect(dead?.status).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    expect(fresh?.metadata.labels?.app).toBe('vllm-server');
    expect(new Set(scene.stage.api.writes.filter(({ dryRun }) => !dryRun).map(({ path }) => path))).toEqual(
      new Set([`/api/v1/namespaces/llm/pods/${SCENARIO_POD.pod}`]),
    );
  });

  it('refuses in words whose group was emptied since the plan, or cannot be looked up', async () => {
    const scene = await planned();
    const { card } = scene;
    const { slack } = scene.stage;
    vi.setSystemTime(Date.now() + 11_000);

    slack.faults.next('usergroups.users.list', { kind: 'error', error: 'missing_scope' });
    await click(scene, 'approve', 'U_APPROVER', card);
    await slack.until('a refusal', () =>
      /did not return the members of the permitted groups/.test(told(scene, 'U_APPROVER')),
    );
    slack.state.users.set('U_APPROVER', { id: 'U_APPROVER', name: 'approver', groups: [] });
    await click(scene, 'approve', 'U_APPROVER', card);
    await slack.until('a refusal', () => /may not approve here\./.test(told(scene, 'U_APPROVER')));

    expect(buttonOf(card, 'approve')).toBeDefined();
    expect(written(scene.stage)).toEqual([]);
  });

  it('starts a run whose start was lost after the click', async () => {
    const scene = await planned();
    const path = join(scene.stage.folder, 'oom.db');
    const clock = createSystemClock();
    const store = await createSqliteStore({ path, clock, ids: createSystemIds() });
    const [plan] = await store.openPlans(Date.now());

    const clicked = plan && (await store.click(aClick(plan, { at: Date.now() })));
    await store.close();
    await pass(scene, 'the first write', () => written(scene.stage).length > 0);

    expect(clicked?.kind).toBe('run');
  });

  it('edits a value in a form: the new plan takes the place of the old one, and is what runs', async () => {
    const scene = await planned();
    const { card } = scene;
    const before = { ...card, blocks: structuredClone(card.blocks) };

    await click(scene, 'edit', 'U_ONCALL', card);
    const view = await scene.stage.slack.until('the form', () => scene.stage.slack.state.views.at(-1));
    const wrong = await scene.people().submit({ view, values: { 'oom:edit:0': '999999' } });
    await scene.people().submit({ view, values: { 'oom:edit:0': '16384' } });
    const newer = await scene.stage.slack.until('the new plan', () =>
      messages(scene.stage).find((one) => one.ts !== card.ts && buttonOf(one, 'approve') !== undefined),
    );
    await click(scene, 'approve', 'U_APPROVER', before);
    await scene.stage.slack.until('a refusal', () => /newer plan/.test(told(scene, 'U_APPROVER')));
    await click(scene, 'approve', 'U_APPROVER', newer);
    // After that of the roll-out settings.
    await pass(scene, 'the write', () => written(scene.stage).some((write) => write.includes('"16384"')));

    expect(wrong.body).toMatchObject({ response_action: 'errors' });
  });

  it('tells who asked and who rejected why, and lists it in the status, where the channel was archived meanwhile', async () => {
    const scene = await planned();
    const { stage, card } = scene;
    const [plan] = /plan_\w+/.exec(JSON.stringify(card.blocks)) ?? [];
    for (const person of ['U_ONCALL', 'U_APPROVER']) stage.slack.addChannel(person);
    const shown = stage.slack.state.channels.get('C_LLM');
    if (shown !== undefined) shown.isArchived = true;

    const text = `reject ${plan} --reason="the node is drained"`;
    await scene.people().command({ text, channel: 'C_LLM', user: 'U_APPROVER' });
    await stage.slack.until('two direct messages', () => {
      const own = stage.slack.state.messages.filter(({ channel }) => channel.startsWith('U_'));
      return own.length === 2 && own.every((one) => /the node is drained[\s\S]*Not posted in/.test(textsOf(one)));
    });
    await scene.people().command({ text: 'status', channel: 'C_LLM', user: 'U_ONCALL' });

    await stage.slack.until('the status', () => /Refused by Slack[\s\S]*decision on/.test(told(scene, 'U_ONCALL')));
  });
});
