import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Look } from '../../../../src/app/acting/engine-eyes.ts';
import { probeEngines } from '../../../../src/app/acting/verify/probe-engine.ts';
import type { WorkloadPod } from '../../../../src/app/acting-ports.ts';
import { createEngineCaller } from '../../../../src/metrics/engine-caller.ts';
import { createFakeClock } from '../../../fakes/clock.ts';
import { deadPort, listen } from '../../../fakes/http-server.ts';
import { examplePlan } from '../../../model/plan-examples.ts';
import { aPod } from '../pod-builder.ts';

type Route = number | object | 'hang' | ((request: IncomingMessage, response: ServerResponse, body: string) => void);
type Engine = Readonly<Record<string, Route>>;
type Asked = { readonly path: string; readonly body: string; readonly key: string | undefined };

const KEY = 'sk-of-the-engine';

/** An engine on loopback: a status, a body for 200, or nothing at all on each path; 404 elsewhere. */
async function anEngine(routes: Engine): Promise<{ readonly port: number; readonly asked: Asked[] }> {
  const asked: Asked[] = [];
  const port = await listen(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    asked.push({ path: request.url ?? '', body, key: request.headers.authorization });
    const route = routes[request.url ?? ''] ?? 404;
    if (route === 'hang') return;
    if (typeof route === 'function') return route(request, response, body);
    if (typeof route === 'number') response.writeHead(route).end('{}');
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(route));
  });
  return { port, asked };
}

const onPorts = (name: string, ports: readonly number[], over: Partial<WorkloadPod> = {}): WorkloadPod =>
  aPod(name, { ip: '127.0.0.1', ports, ...over });

// Only a test about an engine that hangs waits for its end.
const PATIENT_MS = 20_000;
const SHORT_MS = 120;

type Over = { readonly apiKeyFile?: string; readonly timeoutMs?: number };

function probe(pods: readonly WorkloadPod[], { apiKeyFile, timeoutMs = PATIENT_MS }: Over = {}) {
  const { target } = examplePlan;
  const callers = new Map([[target.cluster, createEngineCaller({ apiKeyFile })]]);
  const look: Look = { target, pods, since: 0, begun: 0, signal: new AbortController().signal };
  return probeEngines({ callers, clock: createFakeClock(), version: '0.0.0', timeoutMs }, look);
}

const MODELS = { object: 'list', data: [{ id: 'llama-70b', object: 'model' }] };
const TOKEN = { choices: [{ index: 0, text: ' there' }] };
const VLLM: Engine = { '/health': 200, '/v1/models': MODELS, '/v1/completions': TOKEN };
const completing = (route: Route): Engine => ({ ...VLLM, '/v1/completions': route });
/** TGI's way and SGLang's way share a path. */
const native =
  (key: string, answer: object): Route =>
  (_, response, body) => {
    response.writeHead(key in JSON.parse(body) ? 200 : 422).end(JSON.stringify(answer));
  };

describe('one token asked of an engine', () => {
  it.each([
    [1, /^the only ready pod returned a token/],
    [2, /^both ready pods returned a token/],
    [60, /^the 2 newest of 60 ready pods returned a token .*; the others were not probed$/],
  ])('of %i that serve says of how many', async (count, words) => {
    const { port } = await anEngine(VLLM);
    const pods = Array.from({ length: count }, (_, i) => onPorts(`vllm-${i}`, [port], { createdAt: i }));

    expect(await probe([...pods, onPorts('gone', [port], { ready: false })])).toMatchObject({
      kind: 'answered',
      says: expect.stringMatching(words),
    });
  });

  it('is one, of the model that it serves', async () => {
    const { port, asked } = await anEngine(VLLM);

    expect(await probe([onPorts('vllm-0', [port])])).toMatchObject({ kind: 'answered' });
    const { body } = asked.find(({ path }) => path === '/v1/completions') ?? { body: '{}' };
    expect(JSON.parse(body)).toMatchObject({ model: 'llama-70b', max_tokens: 1 });
  });

  it.each([
    [
      'an engine that hangs behind a health check of 200',
      completing('hang'),
      'failed',
      /vllm-0: no token within 0.12 s .*did not answer in time\), but \/health returns 200/,
    ],
    [
      'an engine that hangs altogether',
      { '/health': 'hang', '/v1/models': MODELS, '/v1/completions': 'hang' },
      'failed',
      /in time\)$/,
    ],
    ['a dead engine behind its server', completing(500), 'failed', /returned HTTP 500, but \/health returns 200/],
    ['a full queue', completing(429), 'failed', /returned HTTP 429/],
    ['a list of models that fails', { ...VLLM, '/v1/models': 503 }, 'failed', /\/v1\/models returned HTTP 503/],
    ['a cut connection', completing((_, response) => response.destroy()), 'failed', /cut/],
    [
      'an engine that wants a key',
      { ...VLLM, '/v1/models': 401 },
      'could-not-tell',
      /rejects the API key \(HTTP 401\)/,
    ],
    [
      'a model that completes nothing',
      completing(400),
      'could-not-tell',
      /no known completion API.*completions returned HTTP 400/,
    ],
    ['something else on the port', completing({ hello: 1 }), 'could-not-tell', /no completion/],
    ['TGI', { '/health': 200, '/generate': native('inputs', { generated_text: 'x' }) }, 'answered', undefined],
    ['SGLang', { '/health': 200, '/generate': native('text', { text: 'x', meta_info: {} }) }, 'answered', undefined],
  ] as const)('of %s', async (_, engine, kind, why) => {
    const { port } = await anEngine(engine as Engine);
    const hangs = Object.values<unknown>(engine).includes('hang');

    const answer = await probe([onPorts('vllm-0', [port])], hangs ? { timeoutMs: SHORT_MS } : {});

    expect(answer).toMatchObject({ kind, ...(why && { why: expect.stringMatching(why) }) });
  });

  it('where nothing listens is a no', async () => {
    const why = expect.stringContaining('nothing listens');

    expect(await probe([onPorts('vllm-0', [await deadPort()])])).toMatchObject({ kind: 'failed', why });
  });

  it.each([
    ['without an address', onPorts('vllm-0', [8000], { ip: null })],
    ['that does not serve', onPorts('vllm-0', [8000], { ready: false })],
    ['that goes', onPorts('vllm-0', [8000], { terminating: true })],
  ])('could not be told of a pod %s', async (_, pod) => {
    expect(await probe([pod])).toMatchObject({ kind: 'could-not-tell' });
  });

  it('takes the port with a model, not that of its metrics', async () => {
    const [engine, metrics] = await Promise.all([anEngine(VLLM), anEngine({ '/metrics': 200 })]);

    expect(await probe([onPorts('vllm-0', [metrics.port, engine.port])])).toMatchObject({ kind: 'answered' });
    expect(metrics.asked.map(({ path }) => path)).toEqual(['/v1/models']);
  });

  it('is a no where one of two pods hangs', async () => {
    const [well, hung] = await Promise.all([anEngine(VLLM), anEngine(completing('hang'))]);

    const pods = [onPorts('vllm-0', [well.port]), onPorts('vllm-1', [hung.port])];
    expect(await probe(pods, { timeoutMs: 1000 })).toMatchObject({
      kind: 'failed',
      why: expect.stringContaining('vllm-1'),
    });
  });

  it('carries the key of the engine, and no answer shows it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'oom-key-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const file = join(folder, 'key');
    writeFileSync(file, `${KEY}\n`);
    const { port, asked } = await anEngine(completing(403));

    const answer = await probe([onPorts('vllm-0', [port])], { apiKeyFile: file });
    const lost = await probe([onPorts('vllm-0', [port])], { apiKeyFile: join(folder, 'none') });

    expect(asked.every(({ key }) => key === `Bearer ${KEY}`)).toBe(true);
    expect(asked.length).toBeGreaterThan(0);
    expect(JSON.stringify([answer, lost])).not.toContain(KEY);
    expect(lost).toMatchObject({ kind: 'could-not-tell', why: expect.stringContaining('cannot read') });
  });
});
