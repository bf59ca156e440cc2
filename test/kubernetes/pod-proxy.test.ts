import { describe, expect, it } from 'vitest';
import type { EngineCall } from '../../src/app/acting-ports.ts';
import { createProxyCaller } from '../../src/kubernetes/pod-proxy.ts';
import type { ApiFault as Fault } from '../../src/standins/api-server/faults.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
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
    ['is not reached', { kind: 'refuse', status: 503 }, { kind: 'silent', why: expect.stringContaining('503') }],
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
