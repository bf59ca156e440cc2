import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { leanBundle } from '../../scripts/lean-bundle.ts';
import { connectCluster } from '../../src/kubernetes/connect-cluster.ts';
import {
  type ApiServerOptions,
  createApiServerStandin,
} from '../../src/standins/api-server/create-api-server-standin.ts';
import { aPod } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { type Certificate, makeCertificate } from '../fakes/certificate.ts';
import { listen } from '../fakes/http-server.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aQuery, createHastyClock } from './harness.ts';

// The ways of large clusters: plugins of EKS and GKE, proxies. The bundle leaves out parts of the libraries behind them.
const folder = mkdtempSync(join(tmpdir(), 'oom-bundled-'));
afterAll(() => rmSync(folder, { recursive: true }));

let own: Certificate;
const bundled = join(folder, 'connect-cluster.cjs');

beforeAll(async () => {
  own = makeCertificate(folder, 'own');
  await build({
    entryPoints: ['src/kubernetes/connect-cluster.ts'],
    outfile: bundled,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'silent',
    define: { 'import.meta.url': 'BUNDLE_URL' },
    plugins: [leanBundle],
  });
});

const read = (file: string) => readFileSync(file, 'utf8');
const secure = () => ({ key: read(own.keyFile), cert: read(own.certFile) });

function aKubeconfig({ server, cluster = {}, user = {} }: { server: string; cluster?: object; user?: object }): string {
  const file = join(mkdtempSync(join(folder, 'config-')), 'kubeconfig');
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'main', cluster: { server, ...cluster } }],
    users: [{ name: 'main', user }],
    contexts: [{ name: 'main', context: { cluster: 'main', user: 'main' } }],
    'current-context': 'main',
  };
  writeFileSync(file, JSON.stringify(config));
  return file;
}

async function serve(options: ApiServerOptions = {}) {
  const standin = await createApiServerStandin(aWorld({ objects: [aPod({ name: 'llama-0' })] }), options);
  onTestFinished(() => standin.close());
  return standin;
}

/** A proxy that tunnels, and notes to where. */
function aTunnel(tunnels: string[]): Server {
  const proxy = createServer();
  proxy.on('connect', (request, socket, head) => {
    tunnels.push(request.url ?? '');
    const target = connect(Number(request.url?.split(':')[1]), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.write(head);
      socket.pipe(target).pipe(socket);
    });
    target.on('error', () => socket.destroy());
    socket.on('error', () => target.destroy());
  });
  return proxy;
}

type Built = { readonly connectCluster: typeof connectCluster };

describe.each([
  ['source', (): Built => ({ connectCluster })],
  ['bundle', (): Built => createRequire(import.meta.url)(bundled)],
])('a kubeconfig read by the %s', (_from, load) => {
  function connected(kubeconfig: string, environment: Record<string, string> = {}) {
    const edge = load().connectCluster({
      name: 'prod',
      namespaces: ['*'],
      source: { kubeconfig, environment },
      clock: createHastyClock(),
    });
    onTestFinished(() => edge.close());
    return { ask: () => edge.cluster.resolve(aQuery('llama-0'), aReadContext()) };
  }

  it('takes its token from a plugin, started once for all who wait, and again after an answer 401', async () => {
    const standin = await serve({ token: 'first' });
    const [count, token] = ['count', 'token'].map((name) => join(mkdtempSync(join(folder, 'plugin-')), name)) as [
      string,
      string,
    ];
    writeFileSync(count, '');
    writeFileSync(token, 'first');
    const script = `const fs = require('fs'); fs.appendFileSync(${JSON.stringify(count)}, 'x');
      console.log(JSON.stringify({ apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential',
        status: { token: fs.readFileSync(${JSON.stringify(token)}, 'utf8'), expirationTimestamp: '2099-01-01T00:00:00Z' } }))`;
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', script],
      interactiveMode: 'Never',
    };
    const { ask } = connected(aKubeconfig({ server: standin.url, user: { exec } }));

    await Promise.all([ask(), ask(), ask()]);
    const startedOnce = read(count);
    standin.token = 'second';
    writeFileSync(token, 'second');
    const renewed = await ask();

    expect(startedOnce).toBe('x');
    expect(renewed.kind).toBe('found');
    expect(read(count)).toBe('xx');
  });

  it('whose plugin fails says so, without what the plugin printed', async () => {
    const exec = {
      apiVersion: 'client.authentication.k8s.io/v1',
      command: process.execPath,
      args: ['-e', 'console.error("token hunter2"); process.exit(1)'],
    };
    const { ask } = connected(aKubeconfig({ server: 'https://127.0.0.1:9', user: { exec } }));

    const failure = await ask().catch((error) => error);

    expect(failure).toMatchObject({ code: 'cluster-unreachable', next: expect.stringContaining('kubectl get pods') });
    expect(`${failure.message} ${failure.next}`).not.toContain('hunter2');
  });

  it('goes through its proxy', async () => {
    const standin = await serve({ tls: secure() });
    const tunnels: string[] = [];
    const proxy = aTunnel(tunnels);
    const cluster = {
      'certificate-authority': own.certFile,
      'proxy-url': `http://127.0.0.1:${await listen(proxy)}`,
    };

    const answer = await connected(aKubeconfig({ server: standin.url, cluster })).ask();

    expect(answer.kind).toBe('found');
    expect(tunnels).toEqual([new URL(standin.url).host]);
  });

  it.each([
    ['by that of the environment', 'api.example', false, ['api.example']],
    ['by its own first', 'api.example', true, ['own api.example']],
    ['by none on loopback', 'localhost', false, []],
  ])('goes through a proxy: %s', async (_, host, isOwn, expected) => {
    const standin = await serve({ tls: secure() });
    const [tunnels, ownTunnels]: [string[], string[]] = [[], []];
    const [usual, first] = [await listen(aTunnel(tunnels)), await listen(aTunnel(ownTunnels))];
    const server = `https://${host}:${new URL(standin.url).port}`;
    const cluster = {
      'insecure-skip-tls-verify': true,
      ...(isOwn && { 'proxy-url': `http://127.0.0.1:${first}` }),
    };
    const environment = { HTTPS_PROXY: `http://127.0.0.1:${usual}` };

    const answer = await connected(aKubeconfig({ server, cluster }), environment).ask();

    expect(answer.kind).toBe('found');
    const hosts = [...tunnels, ...ownTunnels.map((to) => `own ${to}`)].map((to) => to.replace(/:\d+$/, ''));
    expect(hosts).toEqual(expected);
  });
});
