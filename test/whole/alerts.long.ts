import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { oomKilledWorld, SCENARIO_POD } from '../../src/standins/scenarios/scenarios.ts';
import { repliesTo, type StoredMessage, textsOf } from '../../src/standins/slack/state.ts';
import { addWorkloads, setStage, startOn } from './stage.ts';

const closing: (() => Promise<unknown>)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

const TOKEN = 'webhook-token';
const CHANNELS = 'channels: { C_LLM: { namespaces: [llm] }, C_ALL: { namespaces: ["*"] } }';

async function begin(extra = CHANNELS) {
  const stage = await setStage(oomKilledWorld(Date.now()), `alerts: { port: 0, bearerToken: ${TOKEN} }\n${extra}`);
  closing.push(() => stage.close());
  const { service, people } = await startOn(stage, 'http');
  closing.push(() => service.stop());
  const page = async () => (await fetch(`http://127.0.0.1:${service.port}/metrics`)).text();
  const figures = async (name: string): Promise<Record<string, number>> => {
    const lines = (await page()).split('\n').filter((line) => line.startsWith(`${name}{`));
    return Object.fromEntries(
      lines.map((line) => [/="([^"]*)"/.exec(line)?.[1] ?? '', Number(line.slice(line.indexOf('} ') + 2))]),
    );
  };
  const url = `http://127.0.0.1:${service.alertPort}/v1/alerts`;
  const send = async (
    body: string | ReadableStream | Buffer<ArrayBuffer>,
    headers: Record<string, string> = bearer(TOKEN),
    method = 'POST',
  ) => (await fetch(url, { method, headers, body })).status;
  const cards = (channel = 'C_LLM'): StoredMessage[] =>
    stage.slack.state.messages.filter((one) => one.channel === channel && one.threadTs === undefined);
  return { stage, people, service, send, figures, cards, taken: () => figures('oombot_alerts_total') };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

type Labels = Readonly<Record<string, string>>;
let sent = 0;

function anAlert(labels: Labels, over: Readonly<Record<string, unknown>> = {}) {
  sent += 1;
  return {
    status: 'firing',
    labels: { alertname: 'LLMContainerOOMKilled', ...labels },
    annotations: { summary: 'Container server was OOMKilled.' },
    startsAt: new Date(Date.UTC(2026, 6, 24)).toISOString(),
    endsAt: '0001-01-01T00:00:00Z',
    generatorURL: 'http://prometheus/graph',
    fingerprint: `fingerprint-${sent}`,
    ...over,
  };
}

const bodyOf = (...alerts: readonly unknown[]): string =>
  JSON.stringify({ version: '4', groupKey: '{}', status: 'firing', receiver: 'oombot', alerts });
const EARLY = { fingerprint: 'early' };
const manyLabels = (count: number): Labels =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`label_${i}`, 'x'.repeat(50)]));
const ofPod = { cluster: 'prod', namespace: SCENARIO_POD.namespace, pod: SCENARIO_POD.pod };

describe('an alert that names a pod', () => {
  it('is triaged, and its finding is in the channel that owns the namespace', async () => {
    const { send, cards, stage, taken, figures } = await begin(
      `${CHANNELS}\ndashboard: { url: "https://grafana.my.org/g/" }`,
    );

    expect(await send(bodyOf(anAlert(ofPod)))).toBe(200);

    const card = await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    expect(textsOf(card)).toContain(SCENARIO_POD.pod);
    expect(cards('C_ALL')).toEqual([]);
    expect(stage.slack.state.ephemerals).toEqual([]);
    expect(await taken()).toEqual({ triaged: 1 });
    const replies = await stage.slack.until('the thread', () => {
      const found = repliesTo(stage.slack.state, card);
      return found.length > 0 ? found : undefined;
    });
    expect(JSON.stringify(replies)).toContain(
      'https://grafana.my.org/g/d/oombot?var-namespace=llm&amp;var-workload=vllm-server',
    );
    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });
  });

  it('may name the workload alone, and leave out the only cluster', async () => {
    const { send, cards, stage } = await begin();

    await send(bodyOf(anAlert({ namespace: 'llm', workload: 'vllm-server' })));

    await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
  });

  it.each([
    ['has 10,000 labels', () => bodyOf(anAlert({ ...ofPod, ...manyLabels(10_000) }))],
    ['is not UTF-8', () => Buffer.from(bodyOf(anAlert(ofPod)).replace('Container', 'Cont\u00e9'), 'latin1')],
    ['comes as text/plain', () => bodyOf(anAlert(ofPod)), { 'content-type': 'text/plain' }],
    ['is named twice', () => bodyOf(anAlert(ofPod), anAlert({ ...ofPod, alertname: 'LLMEngineGone' }))],
    [
      'was resolved before it came',
      () => bodyOf(anAlert(ofPod, EARLY)),
      {},
      bodyOf(anAlert(ofPod, { ...EARLY, status: 'resolved' })),
    ],
  ] as const)('is one triage and one card where it %s', async (_, body, headers = {}, before?: string) => {
    const { send, cards, stage, figures } = await begin();
    if (before !== undefined) expect(await send(before)).toBe(200);

    expect(await send(body(), { ...bearer(TOKEN), ...headers })).toBe(200);

    await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });
    expect(cards()).toHaveLength(1);
  });

  it('is one triage, one card and no more calls in a flood of a thousand, sent twice', async () => {
    const { send, cards, stage, taken, figures } = await begin();
    const pods = Array.from({ length: 1000 }, (_, i) => (i === 0 ? SCENARIO_POD.pod : podName(i)));
    const flood = bodyOf(...pods.map((pod) => anAlert({ ...ofPod, pod })));

    expect(await send(flood)).toBe(200);
    expect(await send(flood)).toBe(200);

    await stage.slack.until('the card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });
    expect(await taken()).toEqual({ triaged: 1, joined: 999, replayed: 1000 });
    expect(cards()).toHaveLength(1);
    expect(stage.api.requests.length).toBeLessThanOrEqual(24);
  });

  it('is one triage and one card where each comes in a request of its own, all at once', async () => {
    const { send, cards, stage, taken, figures } = await begin();
    const pods = Array.from({ length: 30 }, (_, i) => (i === 0 ? SCENARIO_POD.pod : podName(i)));

    const codes = await Promise.all(pods.map((pod) => send(bodyOf(anAlert({ ...ofPod, pod })))));

    expect(codes).toEqual(pods.map(() => 200));
    expect(await taken()).toEqual({ triaged: 1, joined: 29 });
    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 1 });
    expect(cards()).toHaveLength(1);
    expect(stage.api.requests.length).toBeLessThanOrEqual(24);
  });

  it('is one card for each workload in a storm of several, in bounded calls', async () => {
    const { send, cards, stage, taken, figures } = await begin();
    const pods = addWorkloads(stage, 5);
    const kinds = ['LLMContainerOOMKilled', 'LLMCrashLooping', 'LLMEngineGone'];
    const storm = kinds.flatMap((alertname) => pods.map((pod) => anAlert({ ...ofPod, pod, alertname })));

    expect(await send(bodyOf(...storm))).toBe(200);

    await expect.poll(() => figures('oombot_triages_total')).toEqual({ done: 5 });
    expect(await taken()).toEqual({ triaged: 5, joined: 10 });
    expect(pods.filter((pod) => cards().filter((one) => textsOf(one).includes(`llm/${pod} `)).length !== 1)).toEqual(
      [],
    );
    expect(cards()).toHaveLength(5);
    expect(stage.api.requests.length).toBeLessThanOrEqual(24 * 5);
  });

  it('of a pod that is gone is counted, and told to nobody', async () => {
    const { send, stage, figures } = await begin();

    await send(bodyOf(anAlert({ ...ofPod, pod: 'other-5d8f6f9c6b-4mnl2' })));

    await expect.poll(() => figures('oombot_triages_total')).toEqual({ 'not-found': 1 });
    expect(stage.slack.state.messages).toEqual([]);
  });
});

// Names as Kubernetes makes them up, of one Deployment.
function podName(i: number): string {
  const letters = 'bcdfghjklm';
  const end = [...String(i).padStart(4, '0')].map((digit) => letters[Number(digit)]).join('');
  return `vllm-server-7d8f6f9c6b-x${end}`;
}

describe('an alert that is not taken up', () => {
  it.each([
    ['has no labels', {}, 'no-target'],
    ['names no pod', { namespace: 'llm' }, 'no-target'],
    ['names what is no pod', { namespace: 'llm', pod: 'a b; <!channel>' }, 'no-target'],
    ['names a place instead', { namespace: 'llm', pod: 'prod/llm/vllm-0' }, 'no-target'],
    ['is about another cluster', { ...ofPod, cluster: 'other' }, 'unknown-cluster'],
    ['is about a namespace that no channel owns', { ...ofPod, namespace: 'batch' }, 'no-channel'],
  ])('because it %s is counted, and takes no other with it', async (_, labels, result) => {
    const { send, cards, stage, taken } = await begin('channels: { C_LLM: { namespaces: [llm] } }');

    expect(await send(bodyOf(anAlert(labels), anAlert(ofPod), 'no alert', { status: 'firing' }))).toBe(200);

    await stage.slack.until('the other card', () => cards().find((one) => /OOMKilled/.test(one.text)));
    expect(await taken()).toEqual({ [result]: 1, triaged: 1, unreadable: 2 });
  });

  it('because its workload is silenced is counted', async () => {
    const { send, stage, people, taken } = await begin();
    await people.command({ text: 'silence llm/vllm-server 2h node maintenance', channel: 'C_LLM' });
    await stage.slack.until('the silence', () => stage.slack.state.messages[0] ?? stage.slack.state.ephemerals[0]);

    await send(bodyOf(anAlert(ofPod)));

    expect(await taken()).toEqual({ silenced: 1 });
  });

  it('because it is resolved and never fired is counted', async () => {
    const { send, taken } = await begin();

    await send(bodyOf(anAlert(ofPod, { status: 'resolved' })));

    expect(await taken()).toEqual({ 'not-firing': 1 });
  });
});

const HEAD = `POST /v1/alerts HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${TOKEN}\r\n`;

/** Sends 5 MB in chunks, whatever the header says of them; what comes back first. */
function sendRaw(port: number | undefined, header: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port ?? 0, '127.0.0.1');
    socket.once('data', (answer) => resolve(answer.toString('latin1')));
    socket.on('error', () => resolve('closed')).on('close', () => resolve('closed'));
    socket.write(`${HEAD}${header}\r\n\r\n`);
    const chunk = ' '.repeat(50_000);
    for (let i = 0; i < 100; i += 1) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
  });
}

describe('a request that is refused', () => {
  const alert = bodyOf(anAlert(ofPod));

  it('is counted by its reason, and nothing of it is taken up', async () => {
    const { send, stage, service, taken, figures } = await begin();

    expect(await send(alert, {})).toBe(401);
    expect(await send(alert, bearer('wrong'))).toBe(401);
    expect(await send(alert, { authorization: `Basic ${Buffer.from(`x:${TOKEN}`).toString('base64')}` })).toBe(401);
    expect(await send('not json')).toBe(400);
    expect(await send(Buffer.from(alert, 'utf16le'))).toBe(400);
    expect(await send(JSON.stringify({ version: '3', alerts: [] }))).toBe(400);
    // The answer may be lost where the connection is closed while the rest still comes.
    expect(await sendRaw(service.alertPort, 'Content-Length: 5000000')).toMatch(/^HTTP\/1\.1 413|^closed/);
    expect(await sendRaw(service.alertPort, 'Transfer-Encoding: chunked')).toMatch(/^HTTP\/1\.1 413|^closed/);
    expect(await send(alert, bearer(TOKEN), 'PUT')).toBe(404);

    expect(await figures('oombot_alert_requests_refused_total')).toEqual({
      ...{ unauthorized: 3, 'not-alerts': 3, 'too-large': 2, 'not-found': 1 },
    });
    expect(await taken()).toEqual({});
    expect(stage.api.requests).toEqual([]);
  });

  it('is told to come again where there are too many', async () => {
    const { send, figures } = await begin();
    const codes: number[] = [];

    for (let i = 0; i < 620; i += 1) codes.push(await send(bodyOf()));

    expect(new Set(codes.slice(0, 600))).toEqual(new Set([200]));
    expect(new Set(codes.slice(600))).toEqual(new Set([503]));
    expect(await figures('oombot_alert_requests_refused_total')).toEqual({ 'too-many': 20 });
  });

  it('may break off, and keeps the others from nothing', async () => {
    const { service, send, figures } = await begin();
    const half = connect(service.alertPort ?? 0, '127.0.0.1');
    half.write(`${HEAD}Content-Length: 99\r\n\r\n{"version`, () => half.destroy());

    expect(await send(bodyOf(anAlert(ofPod)))).toBe(200);
    await expect.poll(() => figures('oombot_alert_requests_refused_total')).toEqual({ 'cut-off': 1 });
  });
});
