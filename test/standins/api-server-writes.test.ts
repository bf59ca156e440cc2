import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiServerStandin } from '../../src/standins/api-server/create-api-server-standin.ts';
import { aDeployment } from '../../src/standins/api-server/objects/builders.ts';
import { refuse } from '../../src/standins/api-server/objects/status.ts';
import { aWorld, findObject } from '../../src/standins/api-server/objects/world.ts';

const PATH = '/apis/apps/v1/namespaces/llm/deployments/vllm-server';

// What it refuses, and in which words, stands in the contract of an acting cluster, which a real API server keeps too.
async function serving() {
  const standin = await createApiServerStandin(aWorld({ objects: [aDeployment({ replicas: 2 }).all] }));
  onTestFinished(() => standin.close());
  const patch = async (body: unknown, { path = PATH } = {}) => {
    const headers = { 'content-type': 'application/json-patch+json' };
    const response = await fetch(`${standin.url}${path}`, { method: 'PATCH', headers, body: JSON.stringify(body) });
    // biome-ignore lint/suspicious/noExplicitAny: answers of a foreign API
    return (await response.json()) as any;
  };
  return { standin, patch };
}

const set = (path: string, value: unknown) => [{ op: 'replace', path, value }];

describe('what the stand-in keeps', () => {
  it('counts versions with each change, generations with each wish, and nothing where nothing changes', async () => {
    const { patch } = await serving();
    const marks = async (body: unknown) => {
      const { metadata } = await patch(body);
      return [metadata.generation, metadata.resourceVersion];
    };

    expect([
      await marks(set('/spec/replicas', 2)),
      await marks(set('/spec/replicas', 0)),
      await marks([{ op: 'add', path: '/metadata/annotations/a', value: 'b' }]),
      await marks([{ op: 'add', path: '/status/replicas', value: 99 }]),
    ]).toEqual([
      [2, '1000'],
      [3, '1001'],
      [3, '1002'],
      [3, '1002'],
    ]);
  });

  it('moves a field to who set it last', async () => {
    const { patch } = await serving();
    const by = (manager: string) => ({ path: `${PATH}?fieldManager=${manager}` });
    const args = '/spec/template/spec/containers/0/args';

    await patch(set('/spec/replicas', 5), by('kubectl-edit'));
    await patch(set(args, ['x']), by('kubectl-edit'));
    const { metadata } = await patch(set('/spec/replicas', 0), by('oombot'));

    const fields = Object.fromEntries(
      metadata.managedFields.map((one: { manager: string; fieldsV1?: unknown }) => [one.manager, one.fieldsV1]),
    );
    expect(fields.oombot).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(fields['kubectl-edit']).toEqual({
      'f:spec': {
        'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"vllm"}': { 'f:args': {} } } } },
      },
    });
  });
});

it('the write log of the stand-in tells of each write what became of it', async () => {
  const { patch, standin } = await serving();
  const zero = set('/spec/replicas', 0);
  standin.cluster.admission.push((object) =>
    (object.spec as { replicas: number }).replicas === 7 ? refuse(403, 'Forbidden', 'no') : undefined,
  );

  await patch(zero, { path: `${PATH}?dryRun=All` });
  await patch(zero);
  await patch(zero);
  await patch(set('/spec/replicas', 7));
  standin.faults.on('PATCH', { kind: 'drop' }, 1);
  await patch(set('/spec/replicas', 1)).catch(() => {});
  standin.faults.on('PATCH', { kind: 'drop', after: true }, 1);
  await patch(set('/spec/replicas', 3)).catch(() => {});

  expect(standin.writes.map(({ outcome, answered, dryRun }) => [outcome, answered, dryRun])).toEqual([
    ['dry-run', true, true],
    ['applied', true, false],
    ['unchanged', true, false],
    ['refused', true, false],
    ['not-done', false, false],
    ['applied', false, false],
  ]);
  expect(findObject(standin.world, { kind: 'Deployment', name: 'vllm-server', namespace: 'llm' })?.spec).toMatchObject({
    replicas: 3,
  });
});
