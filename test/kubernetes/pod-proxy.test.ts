import { describe, expect, it } from 'vitest';
import type { EngineCall } from '../../src/app/acting-ports.ts';
import { createPodProxy, createProxyCaller } from '../../src/kubernetes/pod-proxy.ts';
import type { ApiFault as Fault } from '../../src/standins/api-server/faults.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { aTarget, metricsTarget } from '../app/triage/triage-harness.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { anEdge } from './harness.ts';

const PATH = '/api/v1/namespaces/llm/pods/vllm-0%3A8000/proxy/v1/completions';
const CALL: EngineCall = {
  namespace: 'llm',
  pod: { name: 'vllm-0', ip: null },
  port: 8000,
  path: '/v1/completions',
  body: '{"prompt":"Hi"}',
  timeoutMs: 20_000,
};

async function callWith(fault: Fault, over: Partial<EngineCall> = {}) {
  const { http, standin } = await anEdge(aWorld({}));
  standin.faults.on(PATH, fault);
  const context = { signal: new AbortController().signal, agent: 'oombot/0.0.0 (verification)' };
  return { reply: await createProxyCaller(http).call({ ...CALL, ...over }, context), standin };
}

describe('an engine asked through the API server', () => {
  it('is sent what it is to answer, once', async () => {
    const { reply, standin } = await callWith({ kind: 'body', status: 200, text: '{"choices":[{}]}' });

    expect(reply).toEqual({ kind: 'answered', status: 200, text: '{"choices":[{}]}' });
    expect(standin.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([`POST ${PATH}`]);
  });

  it('is read where nothing is sent', async () => {
    const { standin } = await callWith({ kind: 'body', status: 200, text: '{}' }, { body: null });

    expect(standin.requests[0]?.method).toBe('GET');
  });

  it.each([
    ['refuses the prompt', { kind: 'refuse', status: 400 }, { kind: 'answered', status: 400, text: '' }],
    [
      'is not reached',
      { kind: 'refuse', status: 503 },
      { kind: 'silent', why: 'the API server cannot reach port 8000 of vllm-0 (503)' },
    ],
    ['is busy itself', { kind: 'body', status: 503, text: 'busy' }, { kind: 'answered', status: 503 }],
    ['wants a key', { kind: 'body', status: 401, text: '{"error":"Unauthorized"}' }, { kind: 'answered', status: 401 }],
    [
      'is behind an API server that failed',
      { kind: 'refuse', status: 500 },
      { kind: 'silent', why: 'the API server failed (500)' },
    ],
    ['hangs', { kind: 'hang' }, { kind: 'silent', why: expect.stringContaining('in time') }],
    [
      'may not be asked',
      { kind: 'refuse', status: 403 },
      { kind: 'no-way', why: expect.stringContaining('pods/proxy') },
    ],
  ] as const)('%s', async (_, fault, expected) => {
    const over = fault.kind === 'hang' ? { timeoutMs: 100 } : {};
    expect((await callWith(fault as Fault, over)).reply).toMatchObject(expected);
  });
});

describe('metrics read through the API server', () => {
  const OWN = 'port 8000 of vllm-0';
  it.each([
    ['the pod that failed', 503, 'upstream gone', `${OWN} answered 503`, 'unreachable'],
    ['the pod that has no such page', 404, 'Not Found', `${OWN} answered 404`, 'not-exposed'],
    ['the pod that wants a key', 401, '{"error":"no key"}', `${OWN} refused the request (401)`, 'forbidden'],
    ['the pod that is not reached', 503, undefined, `the API server cannot reach ${OWN} (503)`, 'unreachable'],
    ['the API server that failed', 500, undefined, 'the API server failed (500)', 'unreachable'],
    ['the API server that is overloaded', 429, undefined, 'the API server is overloaded (429)', 'unreachable'],
    [
      'the API server that refuses the token',
      401,
      undefined,
      'the API server rejected the credentials (401)',
      'forbidden',
    ],
  ] as const)('that fail name %s', async (_, status, text, detail, reason) => {
    const { http, standin } = await anEdge(aWorld({}));
    const fault: Fault = text === undefined ? { kind: 'refuse', status } : { kind: 'body', status, text };
    standin.faults.on('/proxy/metrics', fault);
    const target = metricsTarget(aTarget({ pod: 'vllm-0' }));

    const answer = await createPodProxy(http)(target, 8000, '/metrics', aReadContext());

    expect(answer).toEqual({ kind: 'refused', reason, detail });
  });

  it('that do not come in time name the pod', async () => {
    const { http, standin } = await anEdge(aWorld({}), { timeoutMs: 50 });
    standin.faults.on('/proxy/metrics', { kind: 'hang' });
    const target = metricsTarget(aTarget({ pod: 'vllm-0' }));

    const answer = await createPodProxy(http)(target, 8000, '/metrics', aReadContext());

    expect(answer).toMatchObject({
      reason: 'deadline',
      detail: `${OWN}, through the API server, did not answer in time`,
    });
  });
});
