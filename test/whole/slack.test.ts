import { afterEach, describe, expect, it } from 'vitest';
import { cudaOomWorld, oomKilledWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { repliesTo, type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { type Stage, setStage, startOn } from './stage.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

async function begin(mode: 'http' | 'socket', world = cudaOomWorld(Date.now()), extra = '') {
  const stage = await setStage(world, extra);
  closing.push(() => stage.close());
  const started = await startOn(stage, mode);
  closing.push(() => started.service.stop());
  return { stage, ...started };
}

const cards = ({ slack }: Stage): StoredMessage[] =>
  slack.state.messages.filter(({ channel, threadTs }) => channel === 'C_LLM' && threadTs === undefined);

const finished = (message: StoredMessage): boolean =>
  !/Reading the evidence|Triage of .* requested/.test(textsOf(message));

const cardOf = (stage: Stage) => stage.slack.until('the card', () => cards(stage).slice(0, 1).find(finished));

/** What somebody alone is told, once it holds these words. */
const toldOf = ({ slack }: Stage, words: string) =>
  slack.until(words, () => slack.state.ephemerals.find((one) => textsOf(one).includes(words)));

const asked = `triage ${SCENARIO_POD.namespace}/${SCENARIO_POD.pod}`;

describe.each(['http', 'socket'] as const)('the whole way by %s', (mode) => {
  it('leads from a slash command to a card with its proof, its thread and its files', async () => {
    const { stage, people } = await begin(mode);

    const ack = await people.command({ text: asked, channel: 'C_LLM' });
    const card = await cardOf(stage);
    const replies = await stage.slack.until('thread and file', () => {
      const found = repliesTo(stage.slack.state, card);
      return found.length > 0 && stage.slack.state.files.size > 0 ? found : undefined;
    });

    expect(ack.status).toBe(200);
    expect(card.text).toMatch(/CUDA OOM/);
    expect(textsOf(card)).toContain(SCENARIO_POD.pod);
    expect(textsOf(card)).toMatch(/Tried to allocate/);
    expect(textsOf(card)).toMatch(/RAM .*GPU memory/);
    expect(replies.map(textsOf).join('\n')).toMatch(/Decision path/);
    const names = await stage.slack.until('both files', () =>
      stage.slack.state.files.size > 1 ? [...stage.slack.state.files.values()].map(({ name }) => name) : undefined,
    );
    expect(names).toEqual([expect.stringMatching(/log/), 'evidence.tar.gz']);
    expect(cards(stage)).toHaveLength(1);
  });

  it('answers a name that is no pod to the asker alone', async () => {
    const { stage, people } = await begin(mode);

    await people.command({ text: 'triage llm/vllm-srver-7d8f6f9c6b-4mnl2', channel: 'C_LLM' });
    const answer = await toldOf(stage, 'Did you mean');

    expect(textsOf(answer)).toContain(SCENARIO_POD.pod);
    expect(cards(stage)).toEqual([]);
  });
});

it('no answer repeats a secret that was pasted, outside of acting too', async () => {
  const { stage, people } = await begin('http');
  const token = `hf_${'Zq9fK2mWx7Lp4RtVb8Ys'.repeat(2)}`;

  await people.command({ text: `explain ${token}`, channel: 'C_LLM' });
  await people.command({
    text: `triage ${token.toLowerCase().replace('_', '-')} --api-key ${token}`,
    channel: 'C_LLM',
  });
  const told = await stage.slack.until('answers', () =>
    stage.slack.state.ephemerals.length > 1 ? stage.slack.state.ephemerals : undefined,
  );

  expect(told.map(textsOf).join('\n')).not.toContain(token);
});

describe('one incident', () => {
  it('keeps one card, which counts', async () => {
    const { stage, people } = await begin('http');

    await people.command({ text: asked, channel: 'C_LLM' });
    await stage.slack.until('the file', () => stage.slack.state.files.size > 0);
    // The reading ends a moment after its last file; until then a second request joins it and is told so.
    const joined = () => stage.slack.state.ephemerals.filter((one) => textsOf(one).includes('already running')).length;
    // Another death: looks at the same one count once.
    const pod = stage.api.world.objects.find(({ kind }) => kind === 'Pod');
    Object.assign(pod?.metadata ?? {}, { uid: 'uid-of-the-next' });
    const counted = () => cards(stage).find((one) => /seen \d+ times/.test(textsOf(one)));
    for (let before = joined(); counted() === undefined; before = joined()) {
      await people.command({ text: asked, channel: 'C_LLM' });
      await stage.slack.until('an answer', () => counted() !== undefined || joined() > before);
    }

    expect(cards(stage)).toHaveLength(1);
    expect(counted()?.text).toMatch(/seen 2 times/);
  });

  it('is shown in the Home tab and explained by its id', async () => {
    const { stage, people } = await begin('http', oomKilledWorld(Date.now()));
    await people.command({ text: asked, channel: 'C_LLM' });
    const card = await cardOf(stage);
    const id = /inc_[0-9a-z]+/.exec(textsOf(card))?.[0] ?? '';

    await people.openHome();
    const home = await stage.slack.until('the Home tab', () => stage.slack.state.homes.get('U_ONCALL'));
    await people.command({ text: `explain ${id}`, channel: 'C_LLM' });
    const explained = await toldOf(stage, 'Decision path');

    expect(JSON.stringify(home)).toContain(id);
    expect(textsOf(explained)).toContain('OOMKilled');
  });
});

it('explains an engine and a flag to the asker, within what Slack takes', async () => {
  const { stage, people } = await begin('http');

  await people.command({ text: 'explain vLLM', channel: 'C_LLM' });
  const engine = textsOf(await toldOf(stage, 'flags by version'));
  await people.command({ text: 'explain —kv-cache-dtype', channel: 'C_LLM' });
  const flag = textsOf(await toldOf(stage, 'SGLang'));
  await people.command({ text: 'explain --max-num-seq', channel: 'C_LLM' });
  const unknown = textsOf(await toldOf(stage, 'Unknown flag'));

  expect(engine).toMatch(/--max-model-len +all +from the model/);
  expect(engine).toMatch(/\d+ more flags: `oom explain vllm` in a terminal/);
  expect(flag).toMatch(/: from 0\.2, default auto/);
  expect(unknown).toContain('/oom explain --max-num-seqs');
});

describe('what goes wrong on the way', () => {
  it('a channel that the bot is not in: the finding goes to the asker, with the invite', async () => {
    const { stage, people } = await begin('http');
    stage.slack.addChannel('C_CLOSED', { name: 'closed', isMember: false });

    await people.command({ text: asked, channel: 'C_CLOSED' });
    const answer = await toldOf(stage, 'Tried to allocate');

    expect(textsOf(answer)).toMatch(/\/invite/);
  });

  it('a channel that may not read the namespace is refused before anything is read', async () => {
    const { stage, people } = await begin('http', undefined, 'channels: { C_OTHER: { namespaces: [llm] } }');

    await people.command({ text: asked, channel: 'C_LLM' });
    const answer = await toldOf(stage, 'may not read');

    expect(textsOf(answer)).toContain('not-allowed');
    expect(stage.api.requests).toEqual([]);
  });
});
