import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/app/ports.ts';
import type { Credentials } from '../../src/kubernetes/api/credentials.ts';
import { toError } from '../../src/kubernetes/api/failure.ts';
import type { KubeRequest } from '../../src/kubernetes/api/http.ts';
import { createKubeHttp } from '../../src/kubernetes/api/http.ts';
import { createSession } from '../../src/kubernetes/api/session.ts';
import type { ApiFault } from '../../src/standins/api-server/faults.ts';
import { aPod } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { listen } from '../fakes/http-server.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { anEdge, createHastyClock } from './harness.ts';
import { plainCredentials } from './plain-credentials.ts';

const PATH = '/api/v1/namespaces/llm/pods/a';
const request: KubeRequest = { path: PATH, rule: { verb: 'get', group: '', resource: 'pods', namespace: 'llm' } };
const world = () => aWorld({ objects: [aPod({ name: 'a' })] });

describe('a call to the API server', () => {
  it('names who asks, in text that a header can hold', async () => {
    const { http, standin } = await anEdge(world());

    await http.getJson(request, aReadContext({ agent: 'oombot/1 (by U_ONCALL\r\nX-Evil: 1; Müller)' }));

    expect(standin.requests[0]?.userAgent).toBe('oombot/1 (by U_ONCALL??X-Evil: 1; M?ller)');
    expect(standin.requests[0]?.headers['x-evil']).toBeUndefined();
  });

  it('refuses an answer that is larger than allowed, without reading it all', async () => {
    const { http, standin } = await anEdge(world());
    standin.faults.on(PATH, { kind: 'body', status: 200, text: 'x'.repeat(30_000_000) });
    const context = aReadContext();

    const answer = await http.getJson({ ...request, maxBytes: 1_000_000 }, context);

    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'budget' } });
    expect(context.budget.cost().bytes).toBeLessThan(2_000_000);
  });

  it('does not take a page to log in for an answer', async () => {
    const { http, standin } = await anEdge(world());
    standin.faults.on(PATH, { kind: 'body', status: 200, text: '<html>Sign in</html>' });

    const answer = await http.getJson(request, aReadContext());

    expect(answer).toMatchObject({ kind: 'failed', failure: { reason: 'failed', code: 'cluster-refused' } });
  });
});

describe('a call that fails', () => {
  it.each<readonly [string, ApiFault]>([
    ...[429, 500, 502, 503, 504].map((status) => [`with ${status}`, { kind: 'refuse', status }] as const),
    ['because the connection drops before an answer', { kind: 'drop' }],
    ['because the connection drops within an answer', { kind: 'cut', afterBytes: 100 }],
  ])('%s is tried again, each try counted', async (_, fault) => {
    const { http, standin, clock } = await anEdge(world());
    standin.faults.on(PATH, fault, 2);
    const context = aReadContext();

    const answer = await http.getJson(request, context);

    expect(answer.kind).toBe('ok');
    expect(context.budget.cost().calls).toBe(3);
    expect(clock.slept).toEqual([200, 400]);
  });

  it.each([400, 403, 404, 410, 422])('with %i is not tried again', async (status) => {
    const { http, standin } = await anEdge(world());
    standin.faults.on(PATH, { kind: 'refuse', status });

    const answer = await http.getJson(request, aReadContext());

    expect(answer).toMatchObject({ kind: 'failed', failure: { status } });
    expect(standin.requests).toHaveLength(1);
  });

  it('waits as long as it is told, but not beyond a triage', async () => {
    const { http, standin, clock } = await anEdge(world());
    standin.faults.on(PATH, { kind: 'refuse', status: 429, retryAfterSeconds: 2 }, 1);

    const patient = await http.getJson(request, aReadContext());
    standin.faults.on(PATH, { kind: 'refuse', status: 429, retryAfterSeconds: 60 });
    const hurried = await http.getJson(request, aReadContext());

    expect(patient.kind).toBe('ok');
    expect(clock.slept).toEqual([2100]);
    expect(hurried).toMatchObject({ failure: { status: 429, retryAfter: 60 } });
    expect(standin.requests).toHaveLength(3);
  });

  it('because nothing listens is unreachable, and names the address', async () => {
    const { http, standin } = await anEdge(world());
    await standin.close();

    const answer = await http.getJson(request, aReadContext());

    expect(answer).toMatchObject({
      failure: { code: 'cluster-unreachable', detail: 'the API server cannot be reached: nothing listens there' },
    });
    expect(answer.kind === 'failed' && toError(answer.failure).next).toContain(`address (${standin.url})`);
  });

  it('because no answer comes ends with its own time, and is not tried again', async () => {
    const { http, standin } = await anEdge(world(), { timeoutMs: 150 });
    standin.faults.on(PATH, { kind: 'hang' });

    const answer = await http.getJson(request, aReadContext());

    expect(answer).toMatchObject({ failure: { reason: 'deadline', code: 'deadline' } });
    expect(standin.requests).toHaveLength(1);
  });

  it('does not come of a process that itself stood still: what has arrived is read first', async () => {
    const { http, standin } = await anEdge(world(), { timeoutMs: 600 });
    standin.faults.on(PATH, { kind: 'slow', ms: 50 });

    const asked = http.getJson(request, aReadContext());
    while (standin.requests.length === 0) await new Promise(setImmediate);
    const until = performance.now() + 800;
    while (performance.now() < until);

    expect((await asked).kind).toBe('ok');
  });

  it.each(['hang', 'slow'] as const)('because of a server that is too slow (%s) ends with the triage', async (kind) => {
    const { http, standin } = await anEdge(world());
    standin.faults.on(PATH, kind === 'hang' ? { kind } : { kind, ms: 5000 });

    const answer = await http.getJson(request, aReadContext({ signal: AbortSignal.timeout(100) }));

    expect(answer).toMatchObject({ failure: { reason: 'deadline' } });
  });

  it('keeps what the server says out of the words', async () => {
    const { http, standin } = await anEdge(world());
    const secret = 'token=hunter2';
    for (const status of [400, 403, 500]) {
      standin.faults.clear();
      standin.faults.on(PATH, { kind: 'body', status, text: JSON.stringify({ message: secret }) });

      const answer = await http.getJson(request, aReadContext());

      expect(JSON.stringify(answer)).not.toContain(secret);
    }
  });
});

const httpBy = (load: () => Promise<Credentials>, clock: Clock = createHastyClock()) =>
  createKubeHttp({ session: createSession(load, clock), clock });

describe('credentials', () => {
  it('are read anew after an answer 401, once', async () => {
    const { standin } = await anEdge(world(), { token: 'new' });
    let reads = 0;
    const http = httpBy(async () => {
      reads += 1;
      return plainCredentials(standin.url, { headers: { authorization: `Bearer ${reads === 1 ? 'old' : 'new'}` } });
    });

    const renewed = await http.getJson(request, aReadContext());
    standin.token = 'newer still';
    const refused = await http.getJson(request, aReadContext());

    expect(renewed.kind).toBe('ok');
    expect(refused).toMatchObject({ failure: { status: 401, reason: 'forbidden' } });
    expect(standin.requests).toHaveLength(4);
    expect(reads).toBe(3);
    await http.close();
  });

  it('are looked at again after 30 seconds, by one reading for all who wait', async () => {
    const { standin } = await anEdge(world());
    const clock = { ...createHastyClock(), at: 0, monotonic: () => clock.at };
    let reads = 0;
    const material = async () => {
      reads += 1;
      return (await plainCredentials('').material()) as never;
    };
    const http = httpBy(async () => ({ ...plainCredentials(standin.url), material }), clock);
    const readAll = () => Promise.all([1, 2, 3].map(() => http.getJson(request, aReadContext())));

    await readAll();
    clock.at = 29_000;
    await readAll();
    clock.at = 31_000;
    await readAll();

    expect(reads).toBe(2);
    expect(standin.connections).toBeLessThanOrEqual(4);
    await http.close();
  });

  it('that hang end with the triage', async () => {
    const http = httpBy(() => new Promise(() => {}));

    const answer = await http.getJson(request, aReadContext({ signal: AbortSignal.timeout(50) }));

    expect(answer).toMatchObject({ failure: { reason: 'deadline' } });
  });
});

it('follows the prefix of a server that stands behind a path, and no redirect', async () => {
  const seen: string[] = [];
  const port = await listen((incoming, response) => {
    seen.push(incoming.url ?? '');
    response.writeHead(302, { location: 'http://127.0.0.1:9/' }).end();
  });
  const credentials = async () => plainCredentials(`http://127.0.0.1:${port}/k8s/clusters/c-1`);
  const http = httpBy(credentials);

  const answer = await http.getJson(request, aReadContext());

  expect(seen).toEqual([`/k8s/clusters/c-1${PATH}`]);
  expect(answer).toMatchObject({ failure: { code: 'cluster-refused', status: 302 } });
  await http.close();
});
