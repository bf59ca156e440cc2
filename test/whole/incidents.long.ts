import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/app/ports.ts';
import { cudaOomWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { repliesTo, type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { type Stage, setStage, startOn } from './stage.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const HOUR_MS = 3_600_000;
const TRIAGE = `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;

const cardsOf = ({ slack }: Stage): StoredMessage[] =>
  slack.state.messages.filter(({ channel, threadTs }) => channel === 'C_LLM' && threadTs === undefined);

/** What somebody alone is told, once it holds these words. */
const toldOf = ({ slack }: Stage, words: string) =>
  slack.until(words, () => slack.state.ephemerals.map(lineOf).find((text) => text.includes(words)));

const lineOf = (message: Parameters<typeof textsOf>[0]) => textsOf(message).replace(/\s+/g, ' ');

const viewOf = ({ slack }: Stage, count: number) => slack.until('the dialog', () => slack.state.views[count - 1]);

const replyOf = ({ slack }: Stage, card: StoredMessage, words: string) =>
  slack.until(words, () => repliesTo(slack.state, card).find((one) => textsOf(one).includes(words)));

const shows = ({ slack }: Stage, card: StoredMessage, words: string) =>
  slack.until(`${words} on the card`, () => (textsOf(card).includes(words) ? textsOf(card) : undefined));

/** A finding on its card, with its thread. */
async function withCard(mode: 'http' | 'socket' = 'http', extra = '') {
  const stage = await setStage(cudaOomWorld(Date.now()), extra);
  closing.push(() => stage.close());
  const started = await startOn(stage, mode);
  closing.push(() => started.service.stop());
  await started.people.command({ text: TRIAGE, channel: 'C_LLM' });
  // The reading ends a moment after its last file.
  await stage.slack.until('the files', () => stage.slack.state.files.size > 1);
  const card = cardsOf(stage)[0] as StoredMessage;
  const id = /inc_[0-9a-z]+/.exec(textsOf(card))?.[0] ?? '';
  const { people } = started;
  const menu = (line: string, user?: string) =>
    people.click({ actionId: 'oom:menu:0', line, on: card, ...(user && { user }) });
  const type = (text: string, channel = 'C_LLM') => people.command({ text, channel });
  return { stage, ...started, card, id, menu, type };
}

type PodObject = {
  metadata: { uid: string };
  status: {
    conditions?: object[];
    containerStatuses: [{ ready: boolean; state: object; lastState: { terminated: Record<string, unknown> } }];
  };
};

const podOf = ({ api }: Stage) => api.world.objects.find(({ kind }) => kind === 'Pod') as unknown as PodObject;

/** The pod fails once more: another pod of the same name. */
const failAgain = (stage: Stage) => Object.assign(podOf(stage).metadata, { uid: 'uid-of-the-next' });

const triageAgain = async (stage: Stage, type: (text: string) => Promise<unknown>, words: string) => {
  const isThere = () => stage.slack.state.messages.find((one) => textsOf(one).includes(words));
  const joined = () => stage.slack.state.ephemerals.filter((one) => textsOf(one).includes('already running')).length;
  for (let before = joined(); isThere() === undefined; before = joined()) {
    await type(TRIAGE);
    await stage.slack.until(words, () => isThere() !== undefined || joined() > before);
  }
  return isThere() as StoredMessage;
};

describe('an incident', () => {
  it('is taken on from the menu of its card, and everybody sees by whom', async () => {
    const { stage, people, card, id, menu, type } = await withCard();

    await menu("I'm on it");
    const told = await toldOf(stage, "You're on it");
    await shows(stage, card, '<@U_ONCALL> is on it');
    await type('status');
    const status = await toldOf(stage, '1 open incident');
    await people.openHome();
    const home = await stage.slack.until('the Home tab', () => stage.slack.state.homes.get('U_ONCALL'));
    await menu("I'm on it", 'U_APPROVER');

    expect(told).toContain(id);
    expect(status).toContain('is on it');
    expect(JSON.stringify(home)).toContain('is on it');
    expect(await toldOf(stage, 'You took over from')).toContain(id);
    await shows(stage, card, '<@U_APPROVER> is on it');
  });

  it.each(['http', 'socket'] as const)(
    'by %s is taken on and resolved in the Home tab, which shows the answers and then the list',
    async (mode) => {
      const { stage, people, card, id } = await withCard(mode);
      const homeWith = (words: RegExp) =>
        stage.slack.until(`${words} in the Home tab`, () => {
          const home = stage.slack.state.homes.get('U_ONCALL');
          return home !== undefined && words.test(JSON.stringify(home)) ? home : undefined;
        });
      const choose = (line: string, home: Readonly<Record<string, unknown>>) =>
        people.click({ actionId: 'oom:menu:0', line, on: { home } });
      await people.openHome();
      const first = await homeWith(/1 open incident/);

      await choose("I'm on it", first);
      const taken = await homeWith(/You're on it.*1 open incident.*<@U_ONCALL> is on it/);
      await people.click({ actionId: 'oom:handover:1', on: { home: taken } });
      const shift = await homeWith(/Shift handover: 1 open.*oombot: 1 open incident/);
      await choose('Resolve…', shift);
      await people.submit({ view: await viewOf(stage, 1), values: { 'oom:reason': 'load test' } });
      await homeWith(/Resolved: .*no open incidents/);

      expect(await shows(stage, card, 'Resolved: ')).toContain('resolved by <@U_ONCALL>: load test');
      expect(JSON.stringify(first)).toContain(id);
      expect(stage.slack.state.ephemerals.filter(({ channel }) => channel !== 'C_LLM')).toEqual([]);
      // Newest first.
      expect(JSON.stringify(shift)).toMatch(/Shift handover: .*You're on it/);
    },
  );

  it.each(['http', 'socket'] as const)(
    'by %s is resolved in a dialog with a reason, is open no more, and asks whether the finding was right',
    async (mode) => {
      const { stage, people, card, id, menu, type } = await withCard(mode);

      await menu('Resolve…');
      const view = await viewOf(stage, 1);
      await people.submit({ view, values: { 'oom:reason': 'rolled back the image' } });
      await toldOf(stage, 'Resolved: ');
      const shown = await shows(stage, card, 'Resolved: ');
      const reply = await replyOf(stage, card, 'Was the finding right?');
      await type('status');
      await toldOf(stage, 'no open incidents');
      await type('history');

      expect(shown).toContain('resolved by <@U_ONCALL>: rolled back the image');
      expect(textsOf(reply)).toContain('rolled back the image');
      expect(reply.blocks.flatMap((block) => (block.elements ?? []) as object[])).toEqual(
        expect.arrayContaining([expect.objectContaining({ action_id: 'oom:right:0', value: id })]),
      );
      expect(await toldOf(stage, '1 incident.')).toContain('rolled back the image');
      expect(JSON.stringify(card.blocks)).not.toContain('Resolve…');
    },
  );
});

describe('an incident that was resolved', () => {
  it('is reopened by another death under its id, and stays closed where the same death is looked at', async () => {
    const { stage, card, id, type } = await withCard();
    await type('resolve');
    await shows(stage, card, 'Resolved: ');

    await triageAgain(stage, type, 'Same crash as before');
    // Its pod has not become ready since.
    expect(await shows(stage, card, 'Resolved by ')).not.toContain('Resolved: ');
    failAgain(stage);
    const note = await triageAgain(stage, type, 'Reopened: ');

    expect(textsOf(note)).toContain(id);
    expect(textsOf(note)).toContain('Resolved before by');
    expect(await shows(stage, card, 'reopened')).toContain('seen 2 times');
    expect(textsOf(card)).not.toContain('Resolved: ');
    expect(cardsOf(stage).filter((one) => textsOf(one).includes('Confidence'))).toHaveLength(1);
  });

  it('says so to the next one who resolves it or wants to be on it', async () => {
    const { stage, card, id, type } = await withCard();
    await type(`resolve \`${id}\` "load test"`);
    await shows(stage, card, 'Resolved: ');

    await type(`resolve ${id}`);
    await type(`ack ${id}`);

    const told = await stage.slack.until('both answers', () => {
      const texts = stage.slack.state.ephemerals.map(lineOf).filter((text) => text.includes('Already resolved'));
      return texts.length === 2 ? texts : undefined;
    });
    expect(told[0]).toContain(': load test , under a minute ago');
    expect(repliesTo(stage.slack.state, card).filter((one) => textsOf(one).includes('finding right'))).toHaveLength(1);
  });
});

describe('feedback', () => {
  it('is given in the menu, changed in a dialog, and counted by finding', async () => {
    const { stage, people, menu, type } = await withCard();

    await menu('Finding is right');
    await toldOf(stage, 'was right');
    await menu('Finding is wrong…');
    const view = await viewOf(stage, 1);
    const [, input] = view.blocks as {
      element: { option_groups: { label: { text: string }; options: { text: { text: string } }[] }[] };
    }[];
    const groups = input?.element.option_groups ?? [];
    await people.submit({ view, values: { 'oom:actual': 'not-memory', 'oom:note': 'a driver bug' } });
    await toldOf(stage, 'was wrong, it was: not memory');
    await type('history --accuracy');

    const labels = groups.map(({ label }) => label.text);
    expect(labels[0]).toBe('Short answer');
    expect(labels.slice(-4)).toEqual(['GPU memory, other phases', 'RAM', 'GPU memory and RAM', 'Not memory']);
    const causes = groups.slice(1).flatMap(({ options }) => options.map(({ text }) => text.text));
    expect(causes.length).toBeGreaterThan(50);
    expect(causes.filter((one, i) => causes.indexOf(one) < i)).toEqual([]);
    const told = await toldOf(stage, '0 of 1 judged finding right (0%)');
    expect(told).toMatch(/: 0 of 1 right \(0%\) ; 1 wrong, actual cause: not memory \(1\)/);
    expect(told).toContain('Based on 1 answer. Every finding has fewer than 10');
    await type(`history`);
    expect(await toldOf(stage, '1 incident.')).toContain('finding was wrong (not memory)');
  });
});

describe('what cannot be done is answered', () => {
  const CASES: readonly (readonly [text: (id: string) => string, answer: (id: string) => string])[] = [
    [(id) => `resolve ${id.slice(0, -1)}`, (id) => `Did you mean ${id}`],
    [() => 'ack inc_zzzz', () => 'Ask in the channel of the team that owns it'],
    [() => 'resolve plan_1', () => 'plan_1 is a plan id'],
    [() => 'resolve chg_1', () => 'chg_1 is a temporary change id'],
    [(id) => `feedback ${id} maybe`, () => 'yes or no?'],
    [(id) => `feedback ${id} no not-memry`, () => 'Did you mean not-memory'],
    [() => 'history vllm-servr', () => 'Did you mean vllm-server'],
    [() => 'history --precision', () => 'Unknown option --precision'],
  ];

  it('where the words are wrong, and where the channel does not own the namespace', async () => {
    const rules = 'channels: { C_LLM: { namespaces: [llm] }, C_RAG: { namespaces: [rag] } }';
    const { stage, id, type } = await withCard('http', rules);
    stage.slack.addChannel('C_RAG', { name: 'rag' });

    for (const [text, answer] of CASES) {
      await type(text(id));
      await toldOf(stage, answer(id));
    }
    await type(`resolve ${id}`, 'C_RAG');
    await type('resolve', 'C_RAG');
    await toldOf(stage, 'No open incidents here');
    await type('status');

    expect(await toldOf(stage, `No incident ${id} in the namespaces of this channel`)).not.toContain('vllm');
    expect(await toldOf(stage, '1 open incident')).toContain(id);
  });
});

describe('an export', () => {
  it('puts the post-mortem draft and the evidence into the thread of the card', async () => {
    const { stage, card, id, type } = await withCard();
    const before = stage.slack.state.files.size;

    await type(`export ${id}`);
    const told = await toldOf(stage, 'Exported: ');

    const files = [...stage.slack.state.files.values()].slice(before);
    expect(files.map(({ name }) => name)).toEqual([`post-mortem-${id}.md`, 'evidence.tar.gz']);
    expect(files.every(({ threadTs, channel }) => threadTs === card.ts && channel === 'C_LLM')).toBe(true);
    const draft = String(files[0]?.bytes ?? '');
    expect(draft.match(/^## .*/gm)).toEqual(
      ['Summary', 'Impact', 'Timeline', 'Cause', 'What was changed', 'Temporary changes', 'What went well']
        .concat('What is unknown', 'Follow-ups', 'Evidence')
        .map((title) => `## ${title}`),
    );
    expect(draft).toContain('previous.log:');
    expect(draft).toContain('torch.OutOfMemoryError: CUDA out of memory.');
    expect(draft).toContain('oombot changed nothing.');
    expect(told).toContain('the thread');
  });

  it('has a thread of its own in a channel without the card', async () => {
    const { stage, id, type } = await withCard();
    stage.slack.addChannel('C_OTHER', { name: 'other' });

    await type('export', 'C_OTHER');
    await toldOf(stage, 'Exported: ');

    const head = stage.slack.state.messages.find(({ channel }) => channel === 'C_OTHER');
    const [file] = [...stage.slack.state.files.values()].filter(({ channel }) => channel === 'C_OTHER');
    expect(textsOf(head as StoredMessage)).toContain('Post-mortem draft: ');
    expect(file).toMatchObject({ name: `post-mortem-${id}.md`, threadTs: head?.ts });
  });

  it('goes to no channel that another organization reads', async () => {
    const { stage, id, type } = await withCard();
    stage.slack.addChannel('C_SHARED', { name: 'shared', isExtShared: true });
    const before = stage.slack.state.files.size;

    await type(`export ${id}`, 'C_SHARED');

    expect(await toldOf(stage, 'Not exported')).toContain(`oom export ${id} -o DIR`);
    expect(stage.slack.state.files.size).toBe(before);
    expect(stage.slack.state.messages.filter(({ channel }) => channel === 'C_SHARED')).toEqual([]);
  });
});

describe('the permanent fix', () => {
  it('is shown from the menu to the one who asks, with the patch of the workload', async () => {
    const { stage, id, menu, type } = await withCard();

    await menu('Permanent fix');
    const told = await toldOf(stage, 'Permanent fix: ');
    await toldOf(stage, 'Patch: Deployment/vllm-server');
    const patch = stage.slack.state.ephemerals.map(textsOf).find((text) => text.includes('Patch: ')) ?? '';
    stage.slack.addChannel('C_SHARED', { name: 'shared', isExtShared: true });
    await type(`fix ${id}`, 'C_SHARED');

    expect(told).toContain('Load test');
    expect(patch).toMatch(/kind: Deployment\s+metadata:\s+name: vllm-server/);
    expect(await toldOf(stage, 'manifests are not shown')).toContain(`fix ${id}`);
  });
});

describe('people of another organization', () => {
  it('resolve, take over and judge nothing in a shared channel', async () => {
    const { stage, id, type } = await withCard();
    stage.slack.addChannel('C_SHARED', { name: 'shared', isExtShared: true });

    for (const text of [`resolve ${id}`, `ack ${id}`, `feedback ${id} yes`]) {
      const told = stage.slack.state.ephemerals.length;
      await type(text, 'C_SHARED');
      await stage.slack.until(text, () => stage.slack.state.ephemerals.length > told || undefined);
      expect(lineOf(stage.slack.state.ephemerals.at(-1)!)).toContain(`No incident ${id}`);
    }
    await type('status');

    expect(await toldOf(stage, '1 open incident')).toContain(id);
  });
});

describe('a quiet period', () => {
  const later: Clock = { ...createSystemClock(), now: () => Date.now() + 25 * HOUR_MS };

  /** Another bot on the same store, a day later. */
  async function aDayLater(recover: (pod: PodObject) => void) {
    const first = await withCard();
    await first.service.stop();
    recover(podOf(first.stage));
    const { service, people } = await startOn(first.stage, 'http', later);
    closing.push(() => service.stop());
    return { ...first, people };
  }

  const makeReady = ({ status }: PodObject): void => {
    const [container] = status.containerStatuses;
    Object.assign(container, { ready: true, state: { running: { startedAt: '2026-01-01T00:00:00Z' } } });
    container.lastState.terminated.finishedAt = new Date(Date.now() - 2 * 25 * HOUR_MS).toISOString();
  };

  it('with all pods ready closes an incident after a restart too, and says so once', async () => {
    const { stage, card } = await aDayLater(makeReady);

    const shown = await shows(stage, card, 'Resolved: ');
    await replyOf(stage, card, 'no failure for 24 hours, the pod is ready');

    expect(shown).toContain('resolved by oombot: no failure for 24 hours');
    expect(repliesTo(stage.slack.state, card).filter((one) => textsOf(one).includes('no failure'))).toHaveLength(1);
  });
});
