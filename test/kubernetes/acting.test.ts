import { describe, expect, it } from 'vitest';
import type { ActingCluster, Write } from '../../src/app/acting-ports.ts';
import type { ObjectRef, PatchOperation } from '../../src/model/plan.ts';
import type { ApiFault } from '../../src/standins/api-server/faults.ts';
import { USER } from '../../src/standins/api-server/objects/access.ts';
import { aDeployment } from '../../src/standins/api-server/objects/builders.ts';
import { refuse } from '../../src/standins/api-server/objects/status.ts';
import { aWorld, type Denial, findObject } from '../../src/standins/api-server/objects/world.ts';
import { anActContext } from '../contracts/acting-cluster.ts';
import { anActingEdge } from './acting-harness.ts';

const ACT = 'system:serviceaccount:oombot:oombot-act';
const PATH = '/apis/apps/v1/namespaces/llm/deployments/vllm-server';
const context = anActContext();

const at = { namespace: 'llm', name: 'vllm-server', uid: 'uid-Deployment-vllm-server' };
const deployment: ObjectRef = { apiVersion: 'apps/v1', kind: 'Deployment', ...at };
const toZero: PatchOperation[] = [
  { op: 'test', path: '/spec/replicas', value: 2 },
  { op: 'replace', path: '/spec/replicas', value: 0 },
];
const writing = (object: ObjectRef, body: Write['body']): Write => ({
  object,
  subresource: 'none',
  body,
  dryRun: false,
});
const scaleDown = writing(deployment, { kind: 'patch', patch: toZero });
const configMap = { apiVersion: 'v1', kind: 'ConfigMap' };
const newConfig = writing(
  { ...configMap, namespace: 'llm', name: 'phi-oom-1', uid: null },
  { kind: 'create', manifest: { ...configMap, metadata: { name: 'phi-oom-1' }, data: {} } },
);

const world = (denied: readonly Denial[] = []) => aWorld({ objects: [aDeployment({ replicas: 2 }).all], denied });
const replicasIn = (of: ReturnType<typeof world>) =>
  (findObject(of, deployment)?.spec as { replicas: number } | undefined)?.replicas;
const bearer = (sub: string) => {
  const part = (claims: object) => Buffer.from(JSON.stringify(claims)).toString('base64url');
  return { headers: { authorization: `Bearer ${part({ alg: 'none' })}.${part({ sub })}.sig` } };
};

describe('a write', () => {
  it('goes out as the acting account, strictly checked, under the name of bot, incident and person', async () => {
    const { cluster, standin } = await anActingEdge(world(), { impersonate: ACT });

    await cluster.write(scaleDown, context);

    expect(standin.requests).toHaveLength(1);
    expect(standin.requests[0]).toMatchObject({
      method: 'PATCH',
      path: PATH,
      query: { fieldManager: 'oombot', fieldValidation: 'Strict' },
      userAgent: 'oombot/1.2.3 (incident inc_1; by U_ONCALL)',
      headers: { 'content-type': 'application/json-patch+json', 'impersonate-user': ACT },
    });
    expect(standin.writes).toMatchObject([
      { user: USER, impersonated: ACT, body: toZero, outcome: 'applied', answered: true, status: 200 },
    ]);
  });

  it('brings the warnings of the API server along', async () => {
    const { cluster, standin } = await anActingEdge(world());
    standin.cluster.warnings.push({ place: '/deployments/', text: 'say "hello", then go' });
    standin.cluster.warnings.push({ place: '/deployments/', text: 'v1 is old' });

    const outcome = await cluster.write({ ...scaleDown, dryRun: true }, context);

    expect(outcome).toMatchObject({ kind: 'written', warnings: ['say "hello", then go', 'v1 is old'] });
  });
});

describe('a write that nobody knows the end of', () => {
  it.each<[string, ApiFault, made: boolean, retryAfterMs: number | null, why: string]>([
    ['429', { kind: 'refuse', status: 429, retryAfterSeconds: 7 }, false, 7000, 'overloaded'],
    ['500 after the effect', { kind: 'refuse', status: 500, after: true }, true, null, '500'],
    ['a connection cut after', { kind: 'drop', after: true }, true, null, 'cut'],
    ['half an answer', { kind: 'cut', afterBytes: 40, after: true }, true, null, 'cut'],
    ['silence after the effect', { kind: 'hang', after: true }, true, null, 'in time'],
    ['a page to log in', { kind: 'body', status: 200, text: '<html>', after: true }, true, null, 'not JSON'],
  ])('by %s is unavailable, and never sent again', async (_what, fault, made, retryAfterMs, why) => {
    const of = world();
    const { cluster, standin } = await anActingEdge(of, fault.kind === 'hang' ? { timeoutMs: 500 } : {});
    standin.faults.on(`PATCH ${PATH}`, fault, 1);

    const outcome = await cluster.write(scaleDown, context);

    expect(outcome).toEqual({ kind: 'unavailable', why: expect.stringContaining(why), retryAfterMs });
    expect(standin.writes.map((entry) => entry.outcome)).toEqual([made ? 'applied' : 'not-done']);
    expect(replicasIn(of)).toBe(made ? 0 : 2);
  });

  it('may come into effect after all, and is then not made twice by the same patch', async () => {
    const of = world();
    const { cluster, standin } = await anActingEdge(of, { timeoutMs: 200 });
    standin.faults.on(`PATCH ${PATH}`, { kind: 'delay', ms: 900 }, 1);

    const first = await cluster.write(scaleDown, context);
    const between = replicasIn(of);
    await expect.poll(() => replicasIn(of)).toBe(0);
    const second = await cluster.write(scaleDown, context);

    expect([first.kind, between, second.kind]).toEqual(['unavailable', 2, 'stale']);
    expect(standin.writes.map(({ outcome }) => outcome)).toEqual(['applied', 'refused']);
  });
});

describe('credentials that are not accepted', () => {
  it('are read anew, and the write is sent again: nothing is done before it is known who asks', async () => {
    const of = world();
    const { cluster, standin } = await anActingEdge(of);
    standin.faults.on(PATH, { kind: 'refuse', status: 401 }, 1);

    const outcome = await cluster.write(scaleDown, context);

    expect(outcome.kind).toBe('written');
    expect(standin.writes.map((entry) => entry.outcome)).toEqual(['not-done', 'applied']);
  });

  it('are no reason to go on for ever', async () => {
    const { cluster, standin } = await anActingEdge(world(), { token: 'other' });

    const outcome = await cluster.write(scaleDown, context);

    expect(outcome).toMatchObject({ kind: 'unavailable', why: expect.stringContaining('401') });
    expect(standin.writes).toHaveLength(2);
  });
});

describe('a write that is refused', () => {
  const refusalOf = async (status: number, body: Parameters<typeof refuse>, write = scaleDown) => {
    const of = world();
    const { cluster, standin } = await anActingEdge(of);
    standin.cluster.admission.push(() => refuse(...body));
    const outcome = await cluster.write(write, context);
    expect(replicasIn(of)).toBe(2);
    expect(standin.writes[0]).toMatchObject({ outcome: 'refused', status });
    return outcome;
  };

  it('by a webhook with 403 is no missing right', async () => {
    const words = 'admission webhook "limits.example.test" denied the request: not at night';

    expect(await refusalOf(403, [403, 'Forbidden', words])).toEqual({ kind: 'refused', message: `${words} (403)` });
  });

  it('by an admission policy with 422 is not stale', async () => {
    const causes = [{ message: 'only replicas may change' }];
    const details = { name: 'vllm-server', group: 'apps', kind: 'deployments', causes };

    const outcome = await refusalOf(422, [422, 'Invalid', "ValidatingAdmissionPolicy 'oombot-act' denied", details]);

    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringContaining('denied') });
  });

  it('by a quota that is being counted is a conflict, not a name that is taken', async () => {
    expect((await refusalOf(409, [409, 'Conflict', 'resourcequotas changed'], newConfig)).kind).toBe('conflict');
  });

  it('is told in one line, of bounded length', async () => {
    const outcome = await refusalOf(400, [400, 'BadRequest', `a\nb ${'x'.repeat(5000)}`]);

    expect(outcome).toMatchObject({ kind: 'refused', message: expect.stringMatching(/^a b x{1,400}… \(400\)$/) });
  });
});

describe('a right that is missing', () => {
  const manifestOf = (rule: string) => rule.split('\n').slice(1).join('\n');

  it('is named with what would grant it to the acting account', async () => {
    const of = world([{ verb: 'patch', resource: 'deployments', user: ACT }]);
    const { cluster } = await anActingEdge(of, { impersonate: ACT });

    const outcome = await cluster.write(scaleDown, context);

    expect(outcome.kind).toBe('forbidden');
    const rule = outcome.kind === 'forbidden' ? outcome.rule : '';
    expect(rule.split('\n')[0]).toBe('deployments.apps patch in namespace llm');
    expect(manifestOf(rule)).toContain('apiGroups: ["apps"], resources: ["deployments"], verbs: ["patch"]');
    expect(manifestOf(rule)).toContain('kind: ServiceAccount, name: "oombot-act", namespace: "oombot"');
    expect(replicasIn(of)).toBe(2);
  });

  it.each<[string, Pick<Write, 'subresource' | 'body' | 'object'>, string]>([
    ['of the object', scaleDown, 'deployments.apps patch in namespace llm'],
    ['of its scale', { ...scaleDown, subresource: 'scale' }, 'deployments/scale.apps patch in namespace llm'],
    ['to create', newConfig, 'configmaps create in namespace llm'],
  ])('is known before anything is written: %s', async (_what, write, rule) => {
    const { cluster, standin } = await anActingEdge(world([{ user: ACT, namespace: 'llm' }]), { impersonate: ACT });

    const may = await cluster.mayWrite(write, context);

    expect(may).toMatchObject({ kind: 'no', rule: expect.stringContaining(`${rule}\n---\n`) });
    expect(standin.writes).toEqual([]);
  });

  it('to act as the acting account is the reader’s, bound to that one name', async () => {
    const denied = [{ verb: 'impersonate', resource: 'serviceaccounts' }];
    const options = { impersonate: ACT, material: bearer(USER) };
    const { cluster } = await anActingEdge(world(denied), options);

    const answers = [
      await cluster.write(scaleDown, context),
      await cluster.mayWrite(scaleDown, context),
      await cluster.read(deployment, context),
    ];

    expect(answers.map(({ kind }) => kind)).toEqual(['forbidden', 'no', 'forbidden']);
    for (const answer of answers) {
      const rule = 'rule' in answer ? answer.rule : '';
      expect(rule.split('\n')[0]).toBe('serviceaccounts impersonate in namespace oombot');
      expect(rule).toContain('resourceNames: ["oombot-act"]');
      expect(rule).toContain('kind: ServiceAccount, name: "oombot-read", namespace: "oombot"');
    }
  });
});

describe('a read of the acting cluster', () => {
  it.each<[string, ApiFault]>([
    ['503', { kind: 'refuse', status: 503 }],
    ['429', { kind: 'refuse', status: 429, retryAfterSeconds: 1 }],
    ['a dropped connection', { kind: 'drop' }],
  ])('is tried again after %s, three times and no more', async (_what, fault) => {
    const { cluster, standin } = await anActingEdge(world());
    standin.faults.on(PATH, fault, 2);
    const again = await cluster.read(deployment, context);
    standin.faults.clear();
    standin.forgetRequests();
    standin.faults.on(PATH, fault);

    const never = await cluster.read(deployment, context);

    expect([again.kind, never.kind]).toEqual(['found', 'unavailable']);
    expect(standin.requests).toHaveLength(3);
  });

  it('names the right that is missing', async () => {
    const { cluster } = await anActingEdge(world([{ resource: 'deployments', verb: 'get' }]));

    const read = await cluster.read(deployment, context);

    expect(read).toMatchObject({
      kind: 'forbidden',
      rule: expect.stringMatching(/^deployments\.apps get in namespace llm\n/),
    });
  });

  it('finds kinds that it does not know by one discovery, and remembers it', async () => {
    const runtime = { apiVersion: 'production-stack.vllm.ai/v1alpha1', kind: 'VLLMRuntime' };
    const named = { namespace: 'llm', name: 'a' };
    const of = aWorld({ objects: [{ ...runtime, metadata: { ...named, uid: 'u' } }] });
    const { cluster, standin } = await anActingEdge(of);
    const read = (): ReturnType<ActingCluster['read']> => cluster.read({ ...runtime, ...named, uid: null }, context);

    const reads = [await read(), await read()];

    expect(reads.map(({ kind }) => kind)).toEqual(['found', 'found']);
    const group = '/apis/production-stack.vllm.ai/v1alpha1';
    const object = `${group}/namespaces/llm/vllmruntimes/a`;
    expect(standin.requests.map(({ path }) => path)).toEqual([group, object, object]);
  });

  it('does not take a discovery that fails for a kind that is not there', async () => {
    const { cluster, standin } = await anActingEdge(world());
    standin.faults.on('/apis/example.test/v1', { kind: 'refuse', status: 503 });
    const thing = { ...deployment, apiVersion: 'example.test/v1', kind: 'Thing' };

    const answers = [await cluster.read(thing, context), await cluster.write({ ...scaleDown, object: thing }, context)];

    expect(answers.map(({ kind }) => kind)).toEqual(['unavailable', 'unavailable']);
  });
});
