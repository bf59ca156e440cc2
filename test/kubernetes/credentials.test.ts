import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type CredentialSource, loadCredentials } from '../../src/kubernetes/api/credentials.ts';
import { connectCluster } from '../../src/kubernetes/connect-cluster.ts';
import {
  type ApiServerOptions,
  createApiServerStandin,
} from '../../src/standins/api-server/create-api-server-standin.ts';
import { aPod } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import type { Certificate } from '../fakes/certificate.ts';
import { makeCertificate } from '../fakes/certificate.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aQuery, createHastyClock } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-kube-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => vi.unstubAllEnvs());

let own: Certificate;
let client: Certificate;
let other: Certificate;

beforeAll(() => {
  const make = (name: string) => makeCertificate(folder, name);
  [own, client, other] = [make('own'), make('client'), make('other')];
});

const read = (file: string) => readFileSync(file, 'utf8');
const secure = () => ({ key: read(own.keyFile), cert: read(own.certFile) });

type Parts = { server: string; cluster?: object; user?: object; context?: string; namespace?: string };

let files = 0;
function aKubeconfig({ server, cluster = {}, user = {}, context = 'main', namespace }: Parts): string {
  files += 1;
  const file = join(folder, `config-${files}`);
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: context, cluster: { server, ...cluster } }],
    users: [{ name: context, user }],
    contexts: [{ name: context, context: { cluster: context, user: context, ...(namespace && { namespace }) } }],
    'current-context': context,
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

function changed(change: object): CredentialSource {
  const kubeconfig = aKubeconfig({ server: 'https://x' });
  writeFileSync(kubeconfig, JSON.stringify({ ...JSON.parse(read(kubeconfig)), ...change }));
  return { kubeconfig };
}

function aFile(text: string): CredentialSource {
  const kubeconfig = join(folder, text === '' ? 'empty' : 'cut');
  writeFileSync(kubeconfig, text);
  return { kubeconfig };
}

async function serve(options: ApiServerOptions = {}) {
  const standin = await createApiServerStandin(aWorld({ objects: [aPod({ name: 'llama-0' })] }), options);
  onTestFinished(() => standin.close());
  return standin;
}

function connected(source: CredentialSource) {
  const edge = connectCluster({ name: 'prod', namespaces: ['*'], source, clock: createHastyClock() });
  onTestFinished(() => edge.close());
  return { ...edge, ask: () => edge.cluster.resolve(aQuery('llama-0'), aReadContext()) };
}

describe('a kubeconfig', () => {
  it('with a private CA reaches its server, and no other', async () => {
    const standin = await serve({ tls: secure() });
    const trusting = (file: string) =>
      connected({ kubeconfig: aKubeconfig({ server: standin.url, cluster: { 'certificate-authority': file } }) });

    const answer = await trusting(own.certFile).ask();

    expect(answer.kind).toBe('found');
    await expect(trusting(other.certFile).ask()).rejects.toMatchObject({
      code: 'cluster-unreachable',
      message: expect.stringContaining('is not trusted'),
    });
  });

  it('shows its client certificate', async () => {
    const tls = { ...secure(), ca: read(client.certFile), requestCert: true, rejectUnauthorized: true };
    const standin = await serve({ tls });
    const cluster = { 'certificate-authority': own.certFile };
    const user = { 'client-certificate': client.certFile, 'client-key': client.keyFile };

    const answer = await connected({ kubeconfig: aKubeconfig({ server: standin.url, cluster, user }) }).ask();

    expect(answer.kind).toBe('found');
    await expect(connected({ kubeconfig: aKubeconfig({ server: standin.url, cluster }) }).ask()).rejects.toMatchObject({
      code: 'cluster-unreachable',
    });
  });

  it('has several contexts, each with its own user', async () => {
    const [east, west] = [await serve({ token: 'e' }), await serve({ token: 'w' })];
    const list = [
      aKubeconfig({ server: east.url, user: { token: 'e' }, context: 'east', namespace: 'llm' }),
      aKubeconfig({ server: west.url, user: { token: 'w' }, context: 'west' }),
    ].join(delimiter);

    const answers = [connected({ kubeconfig: list }).ask(), connected({ kubeconfig: list, context: 'west' }).ask()];

    expect((await Promise.all(answers)).map(({ kind }) => kind)).toEqual(['found', 'found']);
    expect([east.requests.length, west.requests.length]).toEqual([1, 1]);
    expect((await loadCredentials({ kubeconfig: list })).namespace).toBe('llm');
  });

  it('passes over a file of a list that is not there while another is, as kubectl does', async () => {
    const second = aKubeconfig({ server: 'https://second:6443' });

    const { server } = await loadCredentials({ kubeconfig: [join(folder, 'none'), second].join(delimiter) });

    expect(server).toBe('https://second:6443');
  });

  it.each([
    ['that is not there', () => ({ kubeconfig: join(folder, 'none') }), 'none does not exist'],
    [
      'without the context',
      () => ({ kubeconfig: aKubeconfig({ server: 'https://x' }), context: 'prod' }),
      'no context `prod`',
    ],
    ['whose current context is not in it', () => changed({ 'current-context': 'gone' }), 'has no context `gone`'],
    ['without a current context', () => changed({ 'current-context': '' }), 'has no current context'],
    ['without the cluster of its context', () => changed({ clusters: [] }), 'has no cluster `main`'],
    ['without the user of its context', () => changed({ users: [] }), 'has no user `main`'],
    ['that is empty', () => aFile(''), 'empty is not a kubeconfig'],
    ['that is cut off', () => aFile('{'), 'cut is not a kubeconfig'],
  ])('%s is named', async (_what, source, words) => {
    await expect(loadCredentials(source())).rejects.toMatchObject({
      code: 'bad-config',
      message: expect.stringContaining(words),
    });
  });

  it.each([[{ 'current-context': 'gone' }], [{ 'current-context': '' }]])(
    'lists the contexts that there are: %j',
    async (change) => {
      await expect(loadCredentials(changed(change))).rejects.toMatchObject({
        next: expect.stringMatching(/--context.*\bmain$/),
      });
    },
  );

  it('never sends a token over plain HTTP to another machine', async () => {
    const away = await loadCredentials({
      kubeconfig: aKubeconfig({ server: 'http://10.0.0.1:8080', user: { token: 't' } }),
    });
    const here = await loadCredentials({
      kubeconfig: aKubeconfig({ server: 'http://127.0.0.1:8080', user: { token: 't' } }),
    });

    await expect(away.material()).rejects.toMatchObject({ code: 'bad-config' });
    expect((await here.material()).headers.authorization).toBe('Bearer t');
  });
});

describe('the service account of the pod', () => {
  it('is read anew when its token was rotated', async () => {
    const standin = await serve({ tls: secure(), token: 'first' });
    const { hostname, port } = new URL(standin.url);
    vi.stubEnv('KUBERNETES_SERVICE_HOST', hostname);
    vi.stubEnv('KUBERNETES_SERVICE_PORT', port);
    const account = join(folder, 'var/run/secrets/kubernetes.io/serviceaccount');
    mkdirSync(account, { recursive: true });
    writeFileSync(join(account, 'ca.crt'), read(own.certFile));
    writeFileSync(join(account, 'namespace'), 'oombot');
    writeFileSync(join(account, 'token'), 'first\n');
    const { ask } = connected({ inCluster: true, pathPrefix: folder });

    const first = await ask();
    standin.token = 'second';
    writeFileSync(join(account, 'token'), 'second\n');
    const second = await ask();

    expect([first.kind, second.kind]).toEqual(['found', 'found']);
    expect(standin.requests.map(({ status }) => status)).toEqual([200, 401, 200]);
  });

  it('is the one that a missing right is granted to', async () => {
    const claims = Buffer.from(JSON.stringify({ sub: 'system:serviceaccount:oombot:oombot-read' })).toString(
      'base64url',
    );
    const standin = await serve();
    standin.world.denied.push({ resource: 'pods' });
    const { ask } = connected({
      kubeconfig: aKubeconfig({ server: standin.url, user: { token: `e30.${claims}.sig` } }),
    });

    const answer = await ask();

    expect(answer.kind === 'forbidden' && answer.manifest).toContain(
      '{ kind: ServiceAccount, name: "oombot-read", namespace: "oombot" }',
    );
  });
});

it('reads a port of a pod through the API server', async () => {
  const standin = await serve({ proxied: { 'llama-0:8000/metrics': 'vllm:num_requests_running 1\n' } });
  const { viaProxy } = connected({ kubeconfig: aKubeconfig({ server: standin.url }) });
  const target = { cluster: 'prod', namespace: 'llm', pod: 'llama-0' } as Parameters<typeof viaProxy>[0];

  const answer = await viaProxy(target, 8000, '/metrics', aReadContext());
  const closed = await viaProxy(target, 9000, '/metrics', aReadContext());

  expect(answer).toEqual({ kind: 'text', text: 'vllm:num_requests_running 1\n' });
  expect(closed).toMatchObject({ kind: 'refused', reason: 'unreachable' });
  expect(standin.requests).toHaveLength(2);
});
