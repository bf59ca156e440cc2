import { mkdtempSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { firstThatAnswers } from '../../src/metrics/metrics-sources.ts';
import { createPrometheusMetrics, type PrometheusOptions } from '../../src/metrics/prometheus-metrics.ts';
import type { PrometheusStandin, StandinBehaviour } from '../../src/standins/prometheus/create-prometheus-standin.ts';
import { podSeries } from '../../src/standins/prometheus/pod-series.ts';
import { aMetricsTarget } from '../contracts/metrics.ts';
import { makeCertificate } from '../fakes/certificate.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aPrometheus } from './harness.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-metrics-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const target = aMetricsTarget();
const { namespace, pod } = target;
const series = podSeries({ namespace, pod, container: 'vllm', node: 'gpu-node-1', until: START });
const start = (behaviour: Partial<StandinBehaviour> = {}, options: Parameters<typeof aPrometheus>[1] = {}) =>
  aPrometheus({ series, ...behaviour }, options);

function metricsOf(standin: PrometheusStandin, options: Partial<PrometheusOptions>) {
  const clock = createFakeClock();
  const metrics = firstThatAnswers([createPrometheusMetrics({ baseUrl: standin.url, clock, ...options })], clock);
  return async () => {
    const context = aReadContext();
    const { files, notRead } = await metrics.collect(target, context);
    return { known: 'metrics.txt' in files, notRead, calls: context.budget.cost().calls };
  };
}

const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('credentials', () => {
  const basic = `Basic ${Buffer.from('oombot:p:ss').toString('base64')}`;

  it.each<[string, StandinBehaviour['authorization'], () => PrometheusOptions['auth']]>([
    ['a bearer token', 'Bearer t0ken', () => ({ kind: 'bearer', token: 't0ken' })],
    ['a bearer token in a file', 'Bearer t0ken', () => ({ kind: 'bearer-file', file: write('token', 't0ken\n') })],
    ['user and password', basic, () => ({ kind: 'basic', user: 'oombot', password: 'p:ss' })],
    ['a password in a file', basic, () => ({ kind: 'basic-file', user: 'oombot', file: write('password', 'p:ss\n') })],
  ])('%s opens the door', async (_name, authorization, auth) => {
    const standin = await start({ authorization });

    const { known, notRead, calls } = await metricsOf(standin, { auth: auth() })();

    expect(known).toBe(true);
    expect(notRead.map(({ reason }) => reason)).not.toContain('forbidden');
    expect(calls).toBe(5);
  });

  it('that are wrong are told as forbidden, and never shown', async () => {
    const standin = await start({ authorization: 'Bearer right' });

    const { known, notRead } = await metricsOf(standin, { auth: { kind: 'bearer', token: 'wr0ng-s3cret' } })();

    expect(known).toBe(false);
    expect(notRead).toEqual([expect.objectContaining({ item: 'metrics', reason: 'forbidden' })]);
    expect(JSON.stringify(notRead)).not.toContain('wr0ng');
  });

  it('in a file are read again when the file changes, as Kubernetes changes it', async () => {
    write('token-1', 'one');
    write('token-2', 'two');
    const link = join(folder, 'token-link');
    symlinkSync('token-1', link);
    const standin = await start({ authorization: 'Bearer one' });
    const collect = metricsOf(standin, { auth: { kind: 'bearer-file', file: link } });
    expect((await collect()).known).toBe(true);

    symlinkSync('token-2', `${link}.new`);
    renameSync(`${link}.new`, link);
    standin.behaviour.authorization = 'Bearer two';
    const second = await collect();

    expect(second).toMatchObject({ known: true, calls: 5 });
  });

  it('in a file that cannot be read are told with its path', async () => {
    const standin = await start();

    const { notRead } = await metricsOf(standin, { auth: { kind: 'bearer-file', file: join(folder, 'none') } })();

    expect(notRead).toEqual([
      { item: 'metrics', reason: 'failed', detail: `${join(folder, 'none')} cannot be read (ENOENT)` },
    ]);
    expect(standin.requests).toEqual([]);
  });

  it('renewed between the reading of the file and the answer are sent once more, and no third time', async () => {
    const file = write('token-late', 'old');
    const standin = await start({
      authorization: 'Bearer new',
      // Renamed into place, as the kubelet does: a write in place would be empty for a moment.
      answer: () => {
        renameSync(write('token-new', 'new'), file);
        return undefined;
      },
    });

    const { known, calls, notRead } = await metricsOf(standin, { auth: { kind: 'bearer-file', file } })();

    expect(known).toBe(true);
    // Those that read the file after it was renewed need no second try.
    expect(calls).toBeGreaterThan(5);
    expect(calls).toBeLessThanOrEqual(10);
    expect(notRead.map(({ reason }) => reason)).not.toContain('forbidden');
  });
});

describe('the address', () => {
  it('may have a path prefix and a slash at its end', async () => {
    const standin = await start({}, { prefix: '/prom/team-a' });

    const { known } = await metricsOf(standin, { baseUrl: `${standin.url}/` })();

    expect(known).toBe(true);
    expect(standin.requests[0]?.path).toMatch(/^\/prom\/team-a\/api\/v1\/query/);
  });

  it('behind a proxy that lets only GET through is asked by GET from then on', async () => {
    const standin = await start({ getOnly: true });
    const collect = metricsOf(standin, {});

    const first = await collect();
    const second = await collect();

    expect(first.notRead.map(({ reason }) => reason)).not.toContain('failed');
    expect(second).toMatchObject({ known: true, calls: 5 });
    expect(standin.requests.slice(-5).map(({ method }) => method)).toEqual(Array(5).fill('GET'));
  });
});

describe('TLS', () => {
  let keys: { key: string; cert: string; certFile: string; keyFile: string; otherFile: string };

  beforeAll(() => {
    const own = makeCertificate(folder, 'own');
    const [key, cert] = [own.keyFile, own.certFile].map((file) => readFileSync(file, 'utf8')) as [string, string];
    keys = { ...own, key, cert, otherFile: makeCertificate(folder, 'other').certFile };
  });

  const secure = () => start({}, { tls: { key: keys.key, cert: keys.cert } });

  it.each([
    ['no authority', () => undefined],
    ['another authority', () => ({ caFile: keys.otherFile })],
  ])('refuses a server under %s', async (_name, tls) => {
    const { known, notRead } = await metricsOf(await secure(), { tls: tls() })();

    expect(known).toBe(false);
    expect(notRead).toEqual([
      expect.objectContaining({ reason: 'unreachable', detail: expect.stringContaining('not trusted') }),
    ]);
  });

  it('shows a certificate of its own where the server asks for one', async () => {
    const tls = { key: keys.key, cert: keys.cert, ca: keys.cert, requestCert: true, rejectUnauthorized: true };
    const standin = await start({}, { tls });

    const without = await metricsOf(standin, { tls: { caFile: keys.certFile } })();
    const own = { caFile: keys.certFile, certFile: keys.certFile, keyFile: keys.keyFile };
    const withOne = await metricsOf(standin, { tls: own })();

    expect([without.known, withOne.known]).toEqual([false, true]);
  });

  it('reads the authority again when its file changes', async () => {
    const caFile = write('ca-changes.crt', readFileSync(keys.otherFile, 'utf8'));
    const collect = metricsOf(await secure(), { tls: { caFile } });
    expect((await collect()).known).toBe(false);

    writeFileSync(caFile, `${keys.cert}\n`);

    expect((await collect()).known).toBe(true);
  });
});
