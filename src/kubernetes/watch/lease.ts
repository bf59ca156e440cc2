import type { ActContext } from '../../app/acting-ports.ts';
import type { Clock } from '../../app/ports.ts';
import type { LeaseAnswer, LeaseClaim, Leases } from '../../app/watch-ports.ts';
import { type ActAnswer, type ActHttp, createActHttp, sayStatusOf } from '../acting/act-http.ts';
import { type Rule, sayRule } from '../api/rbac.ts';
import { requestFor } from '../api/resource.ts';
import type { Session } from '../api/session.ts';
import { claimedLease, type Lease, newLease, readLease, releasedLease } from './lease-record.ts';

export type LeasesOptions = {
  readonly session: Session;
  readonly clock: Clock;
  readonly agent?: string | undefined;
};

// Renewals come every few seconds: one that is slow must leave time for another.
const TIMEOUT_MS = 5000;
const TRIES = 2;

/** A record that another one left, and when it was first seen so, by our monotonic clock. */
type Seen = { readonly record: string; readonly at: number };
type Edge = { readonly http: ActHttp; readonly clock: Clock; readonly seen: Map<string, Seen> };
type Asking = { readonly claim: LeaseClaim; readonly context: ActContext };

/**
 * Leases as client-go's leader election uses them: taken over only after the record has not changed for its duration since we
 * first saw it, by our own clock, and written with the version that was read. The bot's own identity writes, nobody is
 * impersonated.
 */
export function createLeases({ session, clock, agent = 'oombot (leader election)' }: LeasesOptions): Leases {
  const http = createActHttp({ session, clock, timeoutMs: TIMEOUT_MS, lane: 'watches' });
  const edge: Edge = { http, clock, seen: new Map() };
  return {
    async claim(claim, signal) {
      const asking = { claim, context: { signal, agent } };
      let answer = await claimOnce(edge, asking);
      for (let tried = 1; tried < TRIES && answer.kind === 'conflict'; tried += 1)
        answer = await claimOnce(edge, asking);
      return answer.kind === 'conflict' ? { kind: 'unknown', why: 'the Lease changed meanwhile (409)' } : answer;
    },
    async release(claim, signal) {
      const read = await readWith(edge, { claim, context: { signal, agent } });
      if (read.kind !== 'found' || read.lease.spec.holderIdentity !== claim.holder) return;
      await put(edge, { claim, context: { signal, agent } }, releasedLease(read.lease, clock.now()));
    },
  };
}

type Tried = LeaseAnswer | { readonly kind: 'conflict' };

async function claimOnce(edge: Edge, asking: Asking): Promise<Tried> {
  const { clock, seen } = edge;
  const { claim } = asking;
  const read = await readWith(edge, asking);
  if (read.kind === 'unknown') return read;
  if (read.kind === 'absent') return create(edge, asking);
  const { lease } = read;
  const holder = lease.spec.holderIdentity;
  const key = `${claim.namespace}/${claim.name}`;
  const record = JSON.stringify(lease.spec);
  const before = seen.get(key);
  const since = before?.record === record ? before : { record, at: clock.monotonic() };
  seen.set(key, since);
  const lastsMs = (lease.spec.leaseDurationSeconds ?? claim.seconds) * 1000;
  const isFree = holder === '' || holder === claim.holder || clock.monotonic() - since.at >= lastsMs;
  if (!isFree) return { kind: 'other', holder };
  return triedWith(await put(edge, asking, claimedLease(lease, claim, clock.now())), ruleFor('update', claim));
}

async function create({ http, clock }: Edge, { claim, context }: Asking): Promise<Tried> {
  const { path, rule } = leaseRequest('create', claim);
  return triedWith(await http.send({ method: 'POST', path, body: newLease(claim, clock.now()) }, context), rule);
}

function put({ http }: Edge, { claim, context }: Asking, body: unknown): Promise<ActAnswer> {
  return http.send({ method: 'PUT', path: leaseRequest('update', claim).path, body }, context);
}

type Read =
  | { readonly kind: 'found'; readonly lease: Lease }
  | { readonly kind: 'absent' }
  | Extract<LeaseAnswer, { readonly kind: 'unknown' }>;

async function readWith({ http }: Edge, { claim, context }: Asking): Promise<Read> {
  const { path, rule } = leaseRequest('get', claim);
  const answer = await http.ask({ method: 'GET', path }, context);
  if (answer.kind === 'answered' && answer.status === 404) return { kind: 'absent' };
  if (answer.kind === 'lost' || answer.status !== 200) return { kind: 'unknown', why: whyNot(answer, rule) };
  const lease = readLease(answer.body);
  return lease === undefined ? { kind: 'unknown', why: 'the answer is not a Lease' } : { kind: 'found', lease };
}

// An answer that was lost may have been a yes: the next claim reads who holds it.
function triedWith(answer: ActAnswer, rule: Rule): Tried {
  if (answer.kind === 'answered' && answer.status < 300) return { kind: 'held' };
  if (answer.kind === 'answered' && answer.status === 409) return { kind: 'conflict' };
  return { kind: 'unknown', why: whyNot(answer, rule) };
}

function whyNot(answer: ActAnswer, rule: Rule): string {
  if (answer.kind === 'lost') return answer.why;
  return answer.status === 403 ? `missing right: ${sayRule(rule)}` : sayStatusOf(answer);
}

function ruleFor(verb: 'get' | 'create' | 'update', claim: LeaseClaim): Rule {
  return leaseRequest(verb, claim).rule;
}

function leaseRequest(verb: 'get' | 'create' | 'update', { namespace, name }: LeaseClaim) {
  const asked = { apiVersion: 'coordination.k8s.io/v1', resource: 'leases', namespace };
  return requestFor(verb, verb === 'create' ? asked : { ...asked, name });
}
