import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { startService } from '../../src/main.ts';
import { aPod } from '../../src/standins/api-server/objects/builders.ts';
import { findObject, type KubeObject, putObject } from '../../src/standins/api-server/objects/world.ts';
import { oomKilledWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { loadOnce } from '../fakes/knowledge.ts';
import { type Stage, setStage, startOn } from './stage.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const POD = { kind: 'Pod', namespace: SCENARIO_POD.namespace, name: SCENARIO_POD.pod };
const CHANNELS = 'channels: { C_LLM: { namespaces: [llm] }, C_ALL: { namespaces: ["*"] } }';

/** A pod that died as it was before. */
function alive(dead: KubeObject): KubeObject {
  const { status } = aPod({ name: dead.metadata.name, containers: [{ name: SCENARIO_POD.container }] });
  return { ...dead, ...(status !== undefined && { status }) } as KubeObject;
}

/** The service on a cluster whose pods are well until `die`. */
async function begin(rule: string, others: readonly string[] = []) {
  const world = oomKilledWorld(Date.now());
  const first = findObject(world, POD);
  if (first === undefined) throw new Error('no pod');
  const dead = [
    first,
    ...others.map((name, i) => ({ ...first, metadata: { ...first.metadata, name, uid: `uid-${i}` } })),
  ];
  for (const pod of dead) putObject(world, alive(pod));
  const watch = `    watch: { leaseNamespace: oombot, pods: [{ namespace: llm, ${rule} }] }`;
  const stage = await setStage(world, CHANNELS, watch);
  closing.push(() => stage.close());
  const started = await startOn(stage, 'http');
  closing.push(() => started.service.stop());
  await expect.poll(() => stage.api.requests.some(({ query }) => query.watch === 'true')).toBe(true);
  const die = (): void => {
    const { storage } = stage.api.cluster;
    for (const pod of dead) storage.settle(findObject(stage.api.world, { ...POD, name: pod.metadata.name }), pod);
  };
  return { stage, ...started, die, cards: () => cardsOf(stage), figures: figuresOf(started.service.port) };
}

const cardsOf = ({ slack }: Stage): StoredMessage[] =>
  slack.state.messages.filter(({ channel, threadTs }) => channel === 'C_LLM' && threadTs === undefined);

function figuresOf(port: number | undefined) {
  return async (name: string): Promise<Record<string, number>> => {
    const page = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const lines = page.split('\n').filter((line) => line.startsWith(`${name}{`));
    return Object.fromEntries(
      lines.map((line) => [/="([^"]*)"/.exec(line)?.[1] ?? '', Number(line.slice(line.indexOf('} ') + 2))]),
    );
  };
}

describe('a container that dies in a watched namespace', () => {
  it('is triaged, its finding is in the channel that owns the namespace, and a restart repeats nothing', async () => {
    const { stage, service, die, cards, figures } = await begin('mode: on');
    expect(await figures('oombot_watch_leader')).toEqual({ prod: 1 });

    die();

    const card = await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    expect(textsOf(card)).toContain(SCENARIO_POD.pod);
    expect(await figures('oombot_deaths_total')).toEqual({ triaged: 1 });
    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });

    await service.stop();
    const again = await startOn(stage, 'http');
    closing.push(() => again.service.stop());
    await expect.poll(() => figuresOf(again.service.port)('oombot_deaths_total')).toEqual({ replayed: 1 });
    expect(cards()).toHaveLength(1);
  });

  it.each([
    ['in mode quiet', 'mode: quiet', []],
    ['below the least severity', 'mode: on, minSeverity: critical', ['vllm-server-7d8f6f9c6b-bcdfg']],
  ])('is kept for the shift handover %s', async (_, rule, others) => {
    const { stage, people, die, cards, figures } = await begin(rule, others);
    const { storage } = stage.api.cluster;

    if (others.length === 0) die();
    else {
      const dead = findObject(oomKilledWorld(Date.now()), POD);
      const before = findObject(stage.api.world, POD);
      storage.settle(before, { ...before, status: dead?.status } as KubeObject);
    }

    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });
    expect(await figures('oombot_deaths_total')).toEqual({ quiet: 1 });
    expect(stage.slack.state.messages).toEqual([]);
    expect(stage.slack.state.ephemerals).toEqual([]);
    await people.command({ text: 'handover', channel: 'C_LLM' });
    const handover = await stage.slack.until('the handover', () => cards()[0]);
    const [, id = ''] = /found quietly: \n\/oom handover (inc_\w+)/.exec(textsOf(handover)) ?? [];
    await people.command({ text: `handover ${id}`, channel: 'C_LLM' });
    const incident = await stage.slack.until('the incident', () => cards()[1]);
    expect(textsOf(incident)).toMatch(/RAM ran out/);
    expect(textsOf(incident)).not.toContain('Shift handover');
  });

  it('with 200 replicas is one triage, one message and no more calls', async () => {
    const letters = 'bcdfghjklm';
    const names = Array.from({ length: 199 }, (_, i) => {
      const end = [...String(i).padStart(5, '0')].map((digit) => letters[Number(digit)]).join('');
      return `vllm-server-7d8f6f9c6b-${end}`;
    });
    const { stage, die, cards, figures } = await begin('mode: on', names);
    const before = stage.api.requests.length;

    die();

    await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });
    await expect.poll(() => figures('oombot_deaths_total')).toEqual({ triaged: 1, joined: 199 });
    expect(cards()).toHaveLength(1);
    // 24 of the triage, and one renewal of the Lease at most.
    expect(stage.api.requests.length - before).toBeLessThanOrEqual(26);
  });

  it('is told once with two replicas: only the one with the Lease watches', async () => {
    const { stage, die, cards, figures } = await begin('mode: on');
    const url = `sqlite:${join(stage.folder, 'other.db')}`;
    const { slack, store } = stage.config;
    const config = { ...stage.config, slack: { ...slack, mode: 'http' as const, port: 0 }, store: { ...store, url } };
    const other = await startService(config, undefined, loadOnce);
    closing.push(() => other.stop());
    const ofOther = figuresOf(other.port);
    await expect
      .poll(() => stage.api.requests.filter(({ path }) => path.includes('/leases')).length)
      .toBeGreaterThan(2);

    die();

    await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    expect(await figures('oombot_deaths_total')).toEqual({ triaged: 1 });
    expect(await ofOther('oombot_watch_leader')).toEqual({ prod: 0 });
    expect(await ofOther('oombot_deaths_total')).toEqual({});
    expect(stage.api.requests.filter(({ query }) => query.watch === 'true')).toHaveLength(1);
  });
});
