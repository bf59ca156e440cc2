import { describe, expect, it } from 'vitest';
import { createBudgetCommand, splitBudget } from '../../../src/app/chat/budget-command.ts';
import { loadKnowledge } from '../../../src/wire/knowledge.ts';
import { playbookDirs } from '../../../src/wire/playbook-dirs.ts';
import { loadProfiles } from '../../../src/wire/profiles.ts';
import { aFinding, aSnapshot } from '../../contracts/store.ts';
import { anActor, anAsker, aTarget, POD, someTriages, textOf } from '../triage/triage-harness.ts';

const dirs = playbookDirs([]);
const knowledge = await loadKnowledge(dirs);
const book = await loadProfiles(dirs);

// What vLLM writes at its start, of which the sums are made.
const LOG = [
  'INFO vLLM API server version 0.9.2',
  "INFO non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 32768}",
  'INFO GPU KV cache size: 65,536 tokens',
  'INFO Maximum concurrency for 32,768 tokens per request: 2.00x',
].join('\n');

function aBudgetCommand(files: Readonly<Record<string, string>> = { 'vllm.previous.log': LOG }) {
  const made = someTriages();
  const { deps, store, chat, log } = made;
  const { investigate } = deps;
  const withLog: typeof investigate.build = (input) =>
    investigate.build({ ...input, files: { ...input.files, ...files } });
  const command = createBudgetCommand({
    investigate: { ...investigate, build: withLog },
    store,
    chat,
    log,
    commandName: '/oom',
    evidence: knowledge.engine,
    book: async () => book,
  });
  const ask = (text: string, externallyShared = false) =>
    command.ask({ text, asker: anAsker(), actor: anActor(anAsker(), externallyShared) });
  const told = () => textOf(...chat.whispers.map(({ message }) => message));
  return { ...made, ask, told };
}

async function withIncident(namespace = 'llm') {
  const made = aBudgetCommand();
  const snapshot = aSnapshot('snap_1', { 'vllm.current.log': LOG });
  const { incident } = await made.store.recordFinding(aFinding({ snapshot, draft: aTarget({ namespace }) }));
  return { ...made, id: incident.id };
}

describe('a budget asked for in a chat', () => {
  it('of a pod is told to the asker alone, from what the engine wrote', async () => {
    const { ask, told, chat, store } = aBudgetCommand();

    await ask(`llm/${POD}`);

    expect(told()).toContain('65,536 tokens');
    expect(told()).toContain(`llm/${POD}, vllm 0.9.2`);
    expect(chat.posts).toEqual([]);
    expect(await store.openIncidents()).toEqual([]);
  });

  it('says what a change of arguments would do', async () => {
    const { ask, told } = aBudgetCommand();

    await ask(`${POD} -n llm —max-model-len=8192`);

    expect(told()).toContain('8192');
  });

  it('of an incident is made of what is kept of it, without the cluster', async () => {
    const { ask, told, cluster, id } = await withIncident();

    await ask(id);

    expect(told()).toContain('65,536 tokens');
    expect(cluster.resolved).toEqual([]);
  });

  it('learns from a start that printed its pool, for the next one on such a GPU in the cluster', async () => {
    const gpu = 'index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA A10G, 20000 MiB, 23028 MiB\n';
    const [version, told] = LOG.split('\n');
    const first = aBudgetCommand({ 'vllm.previous.log': LOG, 'nvidia-smi.txt': gpu });
    await first.ask(`llm/${POD}`);
    const [start] = await first.store.measuredStarts({ cluster: 'prod', engine: 'vllm' });
    expect(start).toMatchObject({ version: '0.9.2', product: 'NVIDIA A10G', model: expect.stringContaining('8B') });

    const next = aBudgetCommand({ 'vllm.previous.log': `${version}\n${told}\n`, 'nvidia-smi.txt': gpu });
    await next.ask(`llm/${POD}`);
    const general = next.told();
    if (start !== undefined) await next.store.keepStart({ ...start, id: 'another pod' });
    await next.ask(`llm/${POD}`);

    expect(general).toContain('similar startups');
    expect(next.told()).toContain('1 startup in this cluster');
    // 65,536 tokens are 8.00 GiB.
    const poolIn = (text: string) => Number(/KV cache: "},{"kind":"plain","text":"(-?[\d.]+) GiB/.exec(text)?.[1]);
    const after = next.told().slice(general.length);
    expect(Math.abs(poolIn(after) - 8)).toBeLessThan(Math.abs(poolIn(general) - 8));
  });

  it('of an incident that may not be read here answers like one that is not there', async () => {
    const { ask, id } = await withIncident('secret-team');

    await expect(ask(id)).rejects.toMatchObject({ code: 'not-found' });
    await expect(ask('inc_nowhere')).rejects.toMatchObject({ code: 'not-found' });
  });

  it('gives no figure where another organisation reads along', async () => {
    const { ask, told } = aBudgetCommand();

    await expect(ask(POD, true)).rejects.toMatchObject({ code: 'forbidden' });
    expect(told()).not.toContain('65,536');
  });

  it.each(['', '?!', '--max-model-len=8192'])('%j is asked back', async (text) => {
    await expect(aBudgetCommand().ask(text)).rejects.toMatchObject({ code: 'bad-input' });
  });

  it('of a name that fits several pods names them, without buttons that would triage', async () => {
    const { ask, chat, cluster } = aBudgetCommand();
    const candidates = ['vllm-0', 'vllm-1'].map((pod) => ({ namespace: 'llm', pod, state: 'Running' }));
    cluster.resolving = () => ({ kind: 'ambiguous', candidates });

    await ask('vllm');

    expect(textOf(chat.whispers[0]?.message)).toContain('vllm-1');
    expect(chat.whispers[0]?.message.choices).toBeUndefined();
  });
});

describe('the words of a budget', () => {
  it.each([
    ['vllm-0', 'vllm-0', []],
    ['vllm-0 -n llm --max-model-len=8192', 'vllm-0 -n llm', ['--max-model-len=8192']],
    ['`inc_1` --set --max-num-seqs=8 --set=--max-model-len=1', 'inc_1', ['--max-num-seqs=8', '--max-model-len=1']],
    ['vllm-0 --namespace=llm', 'vllm-0 --namespace=llm', []],
  ])('%j', (text, what, wanted) => {
    expect(splitBudget(text)).toEqual({ what, wanted, profile: undefined });
  });

  it.each(['llm/vllm-0 --profile=emergency --max-num-seqs=4', '--profile emergency llm/vllm-0 --max-num-seqs=4'])(
    'has the profile of `%s`',
    (text) => {
      expect(splitBudget(text)).toEqual({ what: 'llm/vllm-0', wanted: ['--max-num-seqs=4'], profile: 'emergency' });
    },
  );
});

describe('a profile that a chat asks for', () => {
  it('is shown with what it would do', async () => {
    const { ask, told } = aBudgetCommand();

    await ask(`llm/${POD} --profile=emergency`);

    expect(told()).toContain('Profile emergency');
    expect(told()).toMatch(/--max-num-seqs 16/);
  });

  it('has one of three names', async () => {
    const { ask } = aBudgetCommand();

    await expect(ask(`llm/${POD} --profile=tiny`)).rejects.toThrow(/Unknown profile/);
  });
});
