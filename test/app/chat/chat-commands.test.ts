import { describe, expect, it } from 'vitest';
import type { ActingCommands } from '../../../src/app/acting/commands/acting-commands.ts';
import type { ChatRequest } from '../../../src/app/chat/chat-commands.ts';
import { createChatCommands } from '../../../src/app/chat/chat-commands.ts';
import { createIncidentVerbs } from '../../../src/app/chat/incident-verbs.ts';
import { OomError } from '../../../src/model/errors.ts';
import { snapshotSource } from '../../../src/snapshot/source.ts';
import { aFinding as recordingOf } from '../../contracts/store.ts';
import { exampleSnapshot } from '../../model/examples.ts';
import { aFinding, anAsker, aTarget, OOM_LINE, POD, ROOM, someTriages, textOf } from '../triage/triage-harness.ts';

function someCommands(act?: ActingCommands) {
  const made = someTriages();
  const budgets: string[] = [];
  const { store, chat, clock, log, rights } = made;
  const commands = createChatCommands({
    act,
    triage: made.triages,
    store,
    acts: { now: async () => 0, openRuns: async () => [], openPlans: async () => [], paused: async () => undefined },
    chat,
    clock,
    log,
    rights,
    commandName: '/oom',
    source: snapshotSource,
    diagnose: async () => aFinding('gpu.startup.graph-capture', exampleSnapshot),
    budget: { ask: async ({ text }) => void budgets.push(text) },
    topics: () => ['swap-space', 'quantization'],
    topicNear: (word) => (word === 'swpa-space' ? 'swap-space' : undefined),
    topic: (word) =>
      word === 'swap space'
        ? { id: 'swap-space', says: 'It takes RAM.', helps: 'No OOM.', instead: 'Admit fewer.', source: 's' }
        : undefined,
    handover: { ask: async (verb, rest) => void budgets.push(`${verb} ${rest}`) },
    incidents: createIncidentVerbs({
      ...{ store, rights, clock, log, chat, commandName: '/oom', source: snapshotSource, mayPlan: undefined },
      outbox: made.deps.outbox,
      diagnose: (source) => made.deps.investigate.diagnose(source),
      findings: () => [],
      acts: { plansOf: none, runsOf: none, approvals: none, changeOfRun: async () => undefined },
      engine: async () => ({ facts: new Map(), args: [] }),
      isShared: async () => false,
      redact: (text) => text,
    }),
  });
  const asked = (text: string, over: Partial<ChatRequest> = {}): ChatRequest => ({
    text,
    asker: anAsker(),
    channel: ROOM,
    externallyShared: false,
    ...over,
  });
  const told = () => textOf(...chat.whispers.map(({ message }) => message));
  return { ...made, commands, asked, told, budgets };
}

const none = async () => [];

/** An incident in the readable namespace, and one in another. */
async function withIncidents() {
  const made = someCommands();
  await made.commands.command(made.asked(`triage ${POD}`));
  const [mine] = await made.store.openIncidents();
  const { key: _key, ...target } = { ...aTarget({ namespace: 'secret-team' }), key: '' };
  const theirs = await made.store.recordFinding(recordingOf({ draft: { key: 'theirs', ...target } }));
  return { ...made, mine: mine?.id ?? '', theirs: theirs.incident.id };
}

describe('what people say of an incident', () => {
  it.each(['ack', 'resolve', 'feedback <id> yes', 'history'])('%s is answered where the store fails', async (text) => {
    const { commands, asked, told, store, mine } = await withIncidents();
    store.fail(new OomError('store-failed', 'The store is closed.', { next: 'Ask again in a minute.' }));

    await commands.command(asked(text.replace('<id>', mine)));

    expect(told()).toContain('The store is closed.');
    expect(told()).toContain('Ask again in a minute.');
  });

  it('is answered once, though its card cannot be redrawn', async () => {
    const { commands, asked, chat, deps, mine, log } = await withIncidents();
    deps.investigate.diagnose = () => Promise.reject(new Error('unreadable'));
    const { length } = chat.whispers;

    await commands.command(asked(`ack ${mine}`));

    expect(textOf(...chat.whispers.slice(length).map(({ message }) => message))).toContain("You're on it");
    expect(chat.whispers).toHaveLength(length + 1);
    expect(log.entries.map(({ event }) => event)).toContain('cards not redrawn');
  });

  it('keeps to what the channel may read', async () => {
    const { commands, asked, told, theirs } = await withIncidents();

    for (const text of [`ack ${theirs}`, `resolve ${theirs}`, `feedback ${theirs} yes`]) {
      await commands.command(asked(text));
    }
    const refused = told();
    await commands.command(asked('history'));

    expect(refused.split('in the namespaces of this channel').length - 1).toBeGreaterThanOrEqual(3);
    expect(told()).toContain('1 incident.');
    expect(told()).not.toContain('secret-team');
  });
});

describe('commands in a chat', () => {
  it('a pod alone, and with the word, is a triage', async () => {
    const { commands, asked, chat } = someCommands();

    await commands.command(asked(POD));
    await commands.command(asked(`triage \`${POD}\``));

    expect(chat.posts.filter((post) => post.thread === undefined)).toHaveLength(1);
  });

  it('hands a budget on with what it is asked of, and promises it at once', async () => {
    const { commands, asked, budgets } = someCommands();

    await commands.command(asked('budget inc_1 --max-model-len=8192'));

    expect(budgets).toEqual(['inc_1 --max-model-len=8192']);
    expect(commands.receipt(asked(`budget ${POD}`))).toContain('memory budget');
  });

  it('promises something at once for a triage, and nothing where the answer is as quick', () => {
    const { commands, asked } = someCommands();

    expect(commands.receipt(asked(`triage ${POD}`))).toContain(POD);
    const quick = ['triage', 'status', 'help', 'explane'].map((text) => commands.receipt(asked(text)));
    expect(new Set(quick)).toEqual(new Set([undefined]));
  });

  it.each([
    ['', 'triage'],
    ['help', 'triage'],
    ['stauts', '/oom status'],
    ['frobnicate', 'frobnicate'],
    ['explain inc_unknown', 'No incident inc_unknown'],
    ['explain run_k3x', 'run_k3x is a run id'],
    ['explain swap space', 'It takes RAM.'],
    ['explain topics', '2 topics'],
    ['explain swpa-space', '/oom explain swap-space'],
  ])('%j is answered to the asker alone', async (text, says) => {
    const { commands, asked, chat, told } = someCommands();

    await commands.command(asked(text));

    expect(told()).toContain(says);
    expect(chat.posts).toEqual([]);
  });

  it('the shortcut finds the pod in a message for people', async () => {
    const { commands, asked, cluster } = someCommands();

    await commands.shortcut(asked(`FIRING KubePodCrashLooping\npod ${POD} in namespace llm restarts`));

    expect(cluster.resolved[0]).toMatchObject({ pod: POD, namespace: 'llm' });
  });

  it('a candidate that was chosen is triaged', async () => {
    const { commands, asked, cluster } = someCommands();

    await commands.candidate(asked(`prod/llm/${POD}`));

    expect(cluster.resolved[0]).toMatchObject({ cluster: 'prod', namespace: 'llm', pod: POD });
  });
});

describe('what was found before', () => {
  // Slack makes one dash of two.
  it.each(['`MINE`', '--all MINE', 'MINE --all', 'MINE —all'])('is explained, with its proof: %s', async (text) => {
    const { commands, asked, told, mine } = await withIncidents();

    await commands.command(asked(`explain ${text.replace('MINE', mine)}`));

    expect(told()).toContain(OOM_LINE);
  });

  it('is explained without proof where another organisation reads along', async () => {
    const { commands, asked, told, mine } = await withIncidents();

    await commands.explain(asked(mine, { externallyShared: true }));

    expect(told()).toContain('gpu.startup.graph-capture');
    expect(told()).not.toContain(OOM_LINE);
  });

  it('elsewhere is answered like what never was', async () => {
    const { commands, asked, chat, theirs } = await withIncidents();

    await commands.command(asked(`explain ${theirs}`));
    const none = `${theirs.slice(0, -1)}x`;
    await commands.command(asked(`explain ${none}`));

    const [unreadable, unknown] = chat.whispers.map(({ message }) => textOf(message));
    expect(unreadable?.replaceAll(theirs, none)).toBe(unknown);
  });

  it('is suggested where an id is mistyped', async () => {
    const { commands, asked, told, mine } = await withIncidents();

    await commands.command(asked(`explain ${mine}0`));

    expect(told()).toMatch(new RegExp(`Did you mean .*"${mine}"`));
  });

  it('is gone with its findings', async () => {
    const { commands, asked, told, mine, store } = await withIncidents();
    store.findings = async () => [];

    await commands.command(asked(`explain ${mine}`));

    expect(told()).toContain(`The findings of ${mine} were deleted.`);
  });

  it('is explained still when its evidence has been swept', async () => {
    const { commands, asked, told, mine, store, clock } = await withIncidents();
    await store.sweep({ snapshotsBefore: clock.now() + 1, incidentsBefore: 0 });

    await commands.command(asked(`explain ${mine}`));

    expect(told()).toContain(OOM_LINE);
  });

  it.each(['status', 'explain'])('stands in the list as far as this channel may read: %s', async (text) => {
    const { commands, asked, told, mine, theirs } = await withIncidents();

    await commands.command(asked(text));

    expect(told()).toContain(mine);
    expect(told()).not.toContain(theirs);
  });

  it('is not on the Home tab of a person where no channel rule covers it', async () => {
    const { commands, mine, theirs } = await withIncidents();

    const home = textOf(...(await commands.home('U_STRANGER')));

    expect([home.includes(mine), home.includes(theirs)]).toEqual([false, false]);
  });
});

describe('a fault', () => {
  const down = new OomError('store-busy', 'The store is busy.', { next: 'Ask again in a minute.' });

  it.each(['status', 'explain inc_1'])('is answered with its code and the next step: %s', async (text) => {
    const { commands, asked, told, store } = someCommands();
    store.fail(down);

    await commands.command(asked(text));

    expect(told()).toMatch(/The store is busy.*Ask again in a minute.*store-busy/);
  });

  it('is shown on the Home tab', async () => {
    const { commands, store } = someCommands();
    store.fail(down);

    expect(textOf(...(await commands.home('U_ONCALL')))).toContain('The store is busy');
  });

  it('that cannot be answered either stands in the log', async () => {
    const { commands, asked, store, chat, log } = someCommands();
    store.fail(down);
    chat.refuse(ROOM);

    await commands.command(asked('status', { asker: anAsker({ responseUrl: undefined }) }));

    expect(log.entries.map(({ event }) => event)).toEqual(['command failed', 'reply to the user failed']);
  });
});

it('tells a commands of acting what was clicked from what was typed', async () => {
  const asks: unknown[] = [];
  const act: ActingCommands = {
    ask: async (verb, rest, { isClick }) => void asks.push([verb, rest, isClick]),
    form: async () => undefined,
    edited: async () => {},
  };
  const { commands, asked } = someCommands(act);

  await commands.act('approve', asked('plan_1 c0ffee'));
  await commands.command(asked('approve plan_1 please'));

  expect(asks).toEqual([
    ['approve', 'plan_1 c0ffee', true],
    ['approve', 'plan_1 please', false],
  ]);
});
