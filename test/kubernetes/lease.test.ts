import { describe, expect, it } from 'vitest';
import { createSession } from '../../src/kubernetes/api/session.ts';
import { createLeases } from '../../src/kubernetes/watch/lease.ts';
import { NOW } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld, findObject, type KubeObject } from '../../src/standins/api-server/objects/world.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { anEdge } from './harness.ts';
import { plainCredentials } from './plain-credentials.ts';

const LEASE = { namespace: 'oombot', name: 'oombot-watch' };

/** An API server, and replicas with clocks of their own that compete for one Lease. */
async function openLease() {
  const { standin } = await anEdge(aWorld({}));
  const { storage } = standin.cluster;
  const lease = () =>
    findObject(standin.world, { kind: 'Lease', ...LEASE }) as KubeObject & { spec: Record<string, unknown> };
  return {
    standin,
    lease,
    /** Another one writes the Lease. */
    overwrite: (spec: object) => storage.settle(lease(), { ...lease(), spec: { ...lease().spec, ...spec } }),
    replica(holder: string, skewMs = 0) {
      const clock = createFakeClock(NOW + skewMs);
      const session = createSession(async () => plainCredentials(standin.url), clock);
      const leases = createLeases({ session, clock });
      const claim = { ...LEASE, holder, seconds: 15 };
      const { signal } = new AbortController();
      return {
        clock,
        claim: () => leases.claim(claim, signal),
        release: () => leases.release(claim, signal),
      };
    },
  };
}

describe('a Lease', () => {
  it('is created by the first one, renewed by it, and refused to the second', async () => {
    const { replica, lease, standin } = await openLease();
    const [a, b] = [replica('a'), replica('b')];

    expect(await a.claim()).toEqual({ kind: 'held' });
    a.clock.pass(5000);
    expect(await a.claim()).toEqual({ kind: 'held' });
    expect(await b.claim()).toEqual({ kind: 'other', holder: 'a' });

    expect(lease().spec).toEqual({
      holderIdentity: 'a',
      leaseDurationSeconds: 15,
      acquireTime: '2026-01-15T03:00:00.000000Z',
      renewTime: '2026-01-15T03:00:05.000000Z',
      leaseTransitions: 0,
    });
    expect(standin.writes.map(({ method, user, impersonated }) => [method, user, impersonated])).toEqual([
      ['POST', 'system:serviceaccount:oombot:oombot-read', null],
      ['PUT', 'system:serviceaccount:oombot:oombot-read', null],
    ]);
  });

  it('of a holder that freezes is taken after its duration, and not given back to it when it thaws', async () => {
    const { replica, lease } = await openLease();
    const [a, b] = [replica('a'), replica('b')];
    await a.claim();

    expect(await b.claim()).toMatchObject({ kind: 'other' });
    b.clock.pass(14_999);
    expect(await b.claim()).toMatchObject({ kind: 'other' });
    b.clock.pass(1);
    expect(await b.claim()).toEqual({ kind: 'held' });
    a.clock.pass(15_000);

    expect(await a.claim()).toEqual({ kind: 'other', holder: 'b' });
    expect(lease().spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('is not taken by one that was frozen itself while the holder renewed', async () => {
    const { replica } = await openLease();
    const [a, b] = [replica('a'), replica('b')];
    await a.claim();
    await b.claim();

    b.clock.pass(3_600_000);
    a.clock.pass(3_600_000);
    await a.claim();

    expect(await b.claim()).toEqual({ kind: 'other', holder: 'a' });
  });

  it.each([
    ['an hour ahead', 3_600_000],
    ['an hour behind', -3_600_000],
  ])('does not mind a clock %s', async (_, skew) => {
    const { replica } = await openLease();
    const [a, b] = [replica('a'), replica('b', skew)];
    await a.claim();

    for (let n = 0; n < 10; n += 1) {
      b.clock.pass(5000);
      expect(await b.claim()).toEqual({ kind: 'other', holder: 'a' });
      a.clock.pass(5000);
      expect(await a.claim()).toEqual({ kind: 'held' });
    }
    // The wall clock is set; no time has passed.
    b.clock.set(NOW + 7_200_000);
    expect(await b.claim()).toEqual({ kind: 'other', holder: 'a' });
  });

  it('that another one wrote between read and write is read again, and left to it (409)', async () => {
    const { replica, overwrite, standin, lease } = await openLease();
    const a = replica('a');
    await a.claim();
    standin.onRequest = ({ method }) => {
      if (method !== 'PUT') return;
      standin.onRequest = undefined;
      overwrite({ holderIdentity: 'b', renewTime: 'later' });
    };

    expect(await a.claim()).toEqual({ kind: 'other', holder: 'b' });
    expect(lease().spec.holderIdentity).toBe('b');
    expect(standin.writes.at(-1)?.status).toBe(409);
  });

  it('goes to one of several that create it at once', async () => {
    const { replica, lease } = await openLease();

    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((holder) => replica(holder).claim()));

    expect(answers.filter(({ kind }) => kind === 'held')).toHaveLength(1);
    expect(answers.filter(({ kind }) => kind === 'other')).toHaveLength(3);
    expect(answers.indexOf(answers.find(({ kind }) => kind === 'held') ?? { kind: 'held' })).toBe(
      ['a', 'b', 'c', 'd'].indexOf(String(lease().spec.holderIdentity)),
    );
  });

  it('that was given back is free at once; one of somebody else stays', async () => {
    const { replica, lease } = await openLease();
    const [a, b] = [replica('a'), replica('b')];
    await a.claim();
    await b.claim();

    await b.release();
    expect(lease().spec.holderIdentity).toBe('a');
    await a.release();
    expect(lease().spec).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });

    expect(await b.claim()).toEqual({ kind: 'held' });
    expect(lease().spec).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  });

  it('whose answer was lost is unknown, and known with the next claim', async () => {
    const { replica, standin, lease } = await openLease();
    const a = replica('a');
    standin.faults.on('POST', { kind: 'drop', after: true }, 1);

    expect(await a.claim()).toMatchObject({ kind: 'unknown' });
    expect(await a.claim()).toEqual({ kind: 'held' });
    expect(lease().spec.leaseTransitions).toBe(0);
  });

  it.each([
    ['get', 'missing right: leases.coordination.k8s.io get in namespace oombot'],
    ['create', 'missing right: leases.coordination.k8s.io create in namespace oombot'],
    ['update', 'missing right: leases.coordination.k8s.io update in namespace oombot'],
  ])('without the right to %s is unknown, by name', async (verb, why) => {
    const { replica, standin } = await openLease();
    if (verb === 'update') await replica('a').claim();
    standin.world.denied.push({ verb, resource: 'leases' });

    expect(await replica('a').claim()).toEqual({ kind: 'unknown', why });
  });

  it.each([
    ['no Lease', '{}'],
    ['no JSON', '<html>'],
  ])('that is %s is unknown', async (_, text) => {
    const { replica, standin } = await openLease();
    standin.faults.on('GET', { kind: 'body', status: 200, text });

    expect(await replica('a').claim()).toEqual({ kind: 'unknown', why: 'the answer is not a Lease' });
  });
});
