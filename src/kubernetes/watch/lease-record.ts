import { z } from 'zod';
import type { LeaseClaim } from '../../app/watch-ports.ts';

// Times are only compared, never computed with: they come from the clock of another machine.
const Spec = z.object({
  holderIdentity: z.string().catch(''),
  leaseDurationSeconds: z.number().positive().optional().catch(undefined),
  acquireTime: z.string().optional().catch(undefined),
  renewTime: z.string().optional().catch(undefined),
  leaseTransitions: z.number().int().nonnegative().catch(0),
});
export type LeaseRecord = z.infer<typeof Spec>;

const Lease = z.looseObject({
  metadata: z.looseObject({ resourceVersion: z.string().min(1) }),
  spec: Spec.catch({ holderIdentity: '', leaseTransitions: 0 }),
});
export type Lease = z.infer<typeof Lease>;

/** A Lease as the API server gives it; undefined where it is none. */
export function readLease(body: unknown): Lease | undefined {
  return Lease.safeParse(body).data;
}

const API = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' };

/** A new Lease, held from `at` (epoch ms) on. */
export function newLease({ namespace, name, holder, seconds }: LeaseClaim, at: number): unknown {
  const time = microTime(at);
  const held = { holderIdentity: holder, leaseDurationSeconds: seconds, acquireTime: time, renewTime: time };
  return { ...API, metadata: { namespace, name }, spec: { ...held, leaseTransitions: 0 } };
}

/** The Lease taken or renewed by the holder. Its resource version goes along, so that it is refused if another one was faster. */
export function claimedLease(lease: Lease, { holder, seconds }: LeaseClaim, at: number): unknown {
  const time = microTime(at);
  const { holderIdentity, acquireTime, leaseTransitions } = lease.spec;
  const isOurs = holderIdentity === holder;
  return withSpec(lease, {
    holderIdentity: holder,
    leaseDurationSeconds: seconds,
    acquireTime: isOurs ? (acquireTime ?? time) : time,
    renewTime: time,
    leaseTransitions: isOurs ? leaseTransitions : leaseTransitions + 1,
  });
}

/** The released Lease, as client-go leaves it: no holder, for one second. */
export function releasedLease(lease: Lease, at: number): unknown {
  const time = microTime(at);
  const { leaseTransitions } = lease.spec;
  return withSpec(lease, {
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
    leaseTransitions,
  });
}

function withSpec(lease: Lease, spec: LeaseRecord): unknown {
  return { ...lease, ...API, spec };
}

/** Epoch ms as MicroTime: RFC 3339 with six digits. */
function microTime(at: number): string {
  return new Date(at).toISOString().replace('Z', '000Z');
}
