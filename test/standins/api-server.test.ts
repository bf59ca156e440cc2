import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiServerStandin } from '../../src/standins/api-server/create-api-server-standin.ts';
import { aPod, aStatefulSet, NOW } from '../../src/standins/api-server/objects/builders.ts';
import { aNode, anEvent } from '../../src/standins/api-server/objects/surroundings.ts';
import { type ApiWorld, aWorld, type ContainerLog } from '../../src/standins/api-server/objects/world.ts';

const PODS = '/api/v1/namespaces/llm/pods';

async function serving(world: ApiWorld, options: Parameters<typeof createApiServerStandin>[1] = {}) {
  const standin = await createApiServerStandin(world, options);
  onTestFinished(() => standin.close());
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(`${standin.url}${path}`, { headers });
    const text = await response.text();
    // biome-ignore lint/suspicious/noExplicitAny: answers of a foreign API
    const body: any = response.headers.get('content-type') === 'application/json' ? JSON.parse(text) : text;
    return { status: response.status, body, headers: response.headers };
  };
  return { standin, get };
}

const namesOf = (body: { items: { metadata: { name: string } }[] }) => body.items.map(({ metadata }) => metadata.name);

describe('objects of the stand-in', () => {
  const a = aPod({ name: 'a', labels: { app: 'x', tier: 'gpu' }, node: 'n1' });
  const b = aPod({ name: 'b', labels: { app: 'y' }, node: 'n2' });
  const c = aPod({ name: 'c', labels: { app: 'x' }, namespace: 'other' });
  const world = aWorld({ objects: [b, a, c, aNode('n1'), anEvent({ about: a, reason: 'BackOff', message: 'm' })] });

  it('are given by name, within their namespace', async () => {
    const { get } = await serving(world);

    expect((await get(`${PODS}/a`)).body).toMatchObject({ kind: 'Pod', apiVersion: 'v1', metadata: { name: 'a' } });
    expect((await get('/api/v1/nodes/n1')).body.kind).toBe('Node');
    expect(await get(`${PODS}/c`)).toMatchObject({
      status: 404,
      body: { kind: 'Status', reason: 'NotFound', code: 404, message: 'pods "c" not found' },
    });
    expect((await get('/apis/example.test/v1/things')).status).toBe(404);
  });

  it.each([
    ['', ['a', 'b']],
    ['?labelSelector=app%3Dx', ['a']],
    ['?labelSelector=!tier', ['b']],
    ['?labelSelector=app!%3Dx', ['b']],
    ['?labelSelector=tier', ['a']],
    ['?fieldSelector=spec.nodeName%3Dn2', ['b']],
  ])('are listed by selectors: %s', async (query, names) => {
    const { get } = await serving(world);

    const { body } = await get(`${PODS}${query}`);

    expect(namesOf(body)).toEqual(names);
    expect(body.items[0].kind).toBeUndefined();
  });

  it('are not listed by a field that the API server does not index', async () => {
    const { get } = await serving(world);

    expect(await get(`${PODS}?fieldSelector=status.reason%3DEvicted`)).toMatchObject({
      status: 400,
      body: { reason: 'BadRequest' },
    });
  });

  it('come as the table that kubectl prints', async () => {
    const crashing = aPod({ name: 'd', containers: [{ waiting: 'CrashLoopBackOff', restarts: 4 }, { name: 'proxy' }] });
    const set = aStatefulSet();
    const { get } = await serving(aWorld({ objects: [crashing, aPod({ name: 'e', deletedAt: NOW }), set] }));

    const { body } = await get(PODS, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' });

    expect(body.kind).toBe('Table');
    expect(body.rows.map(({ cells }: { cells: unknown[] }) => cells.slice(0, 4))).toEqual([
      ['d', '1/2', 'CrashLoopBackOff', '4'],
      ['e', '1/1', 'Terminating', '0'],
    ]);
    expect(body.rows[0].object.metadata.uid).toBe('uid-llm-d');
  });
});

describe('logs of the stand-in', () => {
  const lines = Array.from({ length: 10 }, (_, i) => ({ at: NOW + i * 1000, text: `line ${i}` }));
  const log: ContainerLog = { namespace: 'llm', pod: 'a', container: 'vllm', instance: 'current', lines };
  const world = aWorld({ objects: [aPod({ name: 'a' })], logs: [log] });

  it.each([
    ['', lines.map(({ text }) => `${text}\n`).join('')],
    ['tailLines=2', 'line 8\nline 9\n'],
    ['tailLines=0', ''],
    // The size is cut from the start of the selection, within a line if need be.
    ['tailLines=3&limitBytes=10', 'line 7\nlin'],
    ['sinceTime=2026-01-15T03:00:07Z', 'line 7\nline 8\nline 9\n'],
    ['tailLines=1&timestamps=true', '2026-01-15T03:00:09.000000000Z line 9\n'],
    ['limitBytes=20&timestamps=true', '2026-01-15T03:00:00.'],
  ])('are cut as the kubelet cuts them: %s', async (query, text) => {
    const { get } = await serving(world);

    expect((await get(`${PODS}/a/log?container=vllm&${query}`)).body).toBe(text);
  });

  it.each([
    ['previous=true', 400, 'previous terminated container "vllm" in pod "a" not found'],
    ['container=proxy', 400, 'container proxy is not valid for pod a'],
  ])('are refused as the kubelet refuses them: %s', async (query, status, message) => {
    const { get } = await serving(world);

    expect(await get(`${PODS}/a/log?container=vllm&${query}`)).toMatchObject({ status, body: { message } });
  });
});
