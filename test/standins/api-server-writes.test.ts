import { describe, expect, it, onTestFinished } from 'vitest';
import { createApiServerStandin } from '../../src/standins/api-server/create-api-server-standin.ts';
import { aDeployment, anOwner } from '../../src/standins/api-server/objects/builders.ts';
import { refuse } from '../../src/standins/api-server/objects/status.ts';
import { type ApiWorld, aWorld, findObject } from '../../src/standins/api-server/objects/world.ts';

const PATH = '/apis/apps/v1/namespaces/llm/deployments/vllm-server';
const JSON_PATCH = 'application/json-patch+json';

async function serving(world: ApiWorld = aWorld({ objects: [aDeployment({ replicas: 2 }).all] })) {
  const standin = await createApiServerStandin(world);
  onTestFinished(() => standin.close());
  const send = async (method: string, path: string, body: unknown, headers: Record<string, string> = {}) => {
    const response = await fetch(`${standin.url}${path}`, {
      method,
      headers: { 'content-type': method === 'PATCH' ? JSON_PATCH : 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    // biome-ignore lint/suspicious/noExplicitAny: answers of a foreign API
    return { status: response.status, body: (await response.json()) as any, headers: response.headers };
  };
  const patch = (body: unknown, { path = PATH, ...headers }: Record<string, string> = {}) =>
    send('PATCH', path, body, headers);
  return { standin, send, patch, world };
}

const set = (path: string, value: unknown) => [{ op: 'replace', path, value }];

describe('refusals of the stand-in, as the API server gives them', () => {
  it('a patch that cannot be applied is 422 without any detail', async () => {
    const { patch } = await serving();

    const { status, body } = await patch([{ op: 'test', path: '/spec/replicas', value: 9 }]);

    expect(status).toBe(422);
    expect(body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'the server rejected our request due to an error in our request',
      reason: 'Invalid',
      details: {},
      code: 422,
    });
  });

  it('a value that validation minds is 422 with the field', async () => {
    const { patch } = await serving();

    const { body } = await patch(set('/spec/replicas', -1));

    expect(body).toMatchObject({
      reason: 'Invalid',
      message: expect.stringContaining('Deployment.apps "vllm-server" is invalid: spec.replicas: Invalid value: -1'),
      details: { name: 'vllm-server', group: 'apps', kind: 'Deployment', causes: [{ field: 'spec.replicas' }] },
    });
  });

  it.each<[string, unknown, string, number, string]>([
    ['a strategic merge', {}, 'application/strategic-merge-patch+json', 415, 'UnsupportedMediaType'],
    ['no list of operations', { op: 'test' }, JSON_PATCH, 400, 'BadRequest'],
    ['no JSON', '{', JSON_PATCH, 400, 'BadRequest'],
    ['another name', set('/metadata/name', 'b'), JSON_PATCH, 400, 'BadRequest'],
    ['another uid', set('/metadata/uid', 'b'), JSON_PATCH, 422, 'Invalid'],
    ['a version of the past', set('/metadata/resourceVersion', '1'), JSON_PATCH, 409, 'Conflict'],
  ])('%s', async (_what, body, type, status, reason) => {
    const isvc = anOwner('serving.kserve.io/v1beta1', 'InferenceService', 'llama');
    const { patch } = await serving(aWorld({ objects: [isvc] }));
    const path = '/apis/serving.kserve.io/v1beta1/namespaces/llm/inferenceservices/llama';

    expect(await patch(body, { path, 'content-type': type })).toMatchObject({ status, body: { reason, code: status } });
  });

  it('a field that the schema does not have is minded, told, or let pass, as one asks', async () => {
    const { patch } = await serving();
    const body = [{ op: 'add', path: '/spec/template/spec/containers/0/argz', value: [] }];

    const strict = await patch(body, { path: `${PATH}?fieldValidation=Strict` });
    const told = await patch(body, { path: `${PATH}?dryRun=All` });
    const silent = await patch(body, { path: `${PATH}?dryRun=All&fieldValidation=Ignore` });

    const field = 'unknown field "spec.template.spec.containers[0].argz"';
    expect(strict).toMatchObject({ status: 422, body: { details: { causes: [{ field: 'patch' }] } } });
    expect(strict.body.message).toContain(`strict decoding error: ${field}`);
    expect(told.headers.get('warning')).toBe(`299 - "${field.replaceAll('"', '\\"')}"`);
    expect([told.status, silent.status, silent.headers.get('warning')]).toEqual([200, 200, null]);
  });

  it('an object that is there already is 409 AlreadyExists', async () => {
    const { send } = await serving();
    const manifest = { metadata: { name: 'a' }, data: { x: '1' } };
    const path = '/api/v1/namespaces/llm/configmaps';

    const answers = [await send('POST', path, manifest), await send('POST', path, manifest)];

    expect(answers.map(({ status }) => status)).toEqual([201, 409]);
    expect(answers[0]?.body).toMatchObject({
      kind: 'ConfigMap',
      metadata: { namespace: 'llm', uid: expect.any(String) },
    });
    expect(answers[1]?.body).toMatchObject({
      reason: 'AlreadyExists',
      message: 'configmaps "a" already exists',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  it('what may not be done, by whom, as whom', async () => {
    const { patch, world, send } = await serving();
    const act = 'system:serviceaccount:oombot:oombot-act';
    const as = { 'impersonate-user': act };
    world.denied.push({ verb: 'patch', resource: 'deployments', user: act });
    const review = {
      spec: { resourceAttributes: { verb: 'patch', group: 'apps', resource: 'deployments', namespace: 'llm' } },
    };
    const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

    const own = await patch(set('/spec/replicas', 1));
    const acting = await patch(set('/spec/replicas', 0), as);
    const asked = [await send('POST', reviews, review), await send('POST', reviews, review, as)];
    world.denied.push({ verb: 'impersonate', resource: 'serviceaccounts', namespace: 'oombot' });
    const barred = await patch(set('/spec/replicas', 0), as);

    expect([own.status, acting.status, barred.status]).toEqual([200, 403, 403]);
    expect(acting.body.message).toContain(`User "${act}" cannot patch resource "deployments" in API group "apps"`);
    expect(asked.map(({ status, body }) => [status, body.status.allowed])).toEqual([
      [201, true],
      [201, false],
    ]);
    expect(barred.body).toMatchObject({ details: { kind: 'serviceaccounts', name: 'oombot-act' } });
  });
});

describe('what the stand-in keeps', () => {
  it('counts versions with each change, generations with each wish, and nothing where nothing changes', async () => {
    const { patch } = await serving();
    const marks = async (body: unknown) => {
      const { metadata } = (await patch(body)).body;
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
    const { body } = await patch(set('/spec/replicas', 0), by('oombot'));

    const fields = Object.fromEntries(
      body.metadata.managedFields.map((one: { manager: string; fieldsV1?: unknown }) => [one.manager, one.fieldsV1]),
    );
    expect(fields.oombot).toEqual({ 'f:spec': { 'f:replicas': {} } });
    expect(fields['kubectl-edit']).toEqual({
      'f:spec': {
        'f:template': { 'f:spec': { 'f:containers': { 'k:{"name":"vllm"}': { 'f:args': {} } } } },
      },
    });
  });
});

describe('the write log of the stand-in', () => {
  it('tells of each write what became of it', async () => {
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
    expect(
      findObject(standin.world, { kind: 'Deployment', name: 'vllm-server', namespace: 'llm' })?.spec,
    ).toMatchObject({
      replicas: 3,
    });
  });
});
