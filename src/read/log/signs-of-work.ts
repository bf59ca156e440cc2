import type { Hit } from '../../model/log-reading.ts';
import type { Signature } from '../../model/signature.ts';
import { hasRole } from '../../model/signature-roles.ts';
import type { Cause } from '../../model/taxonomy.ts';

type OfCauses = { readonly causes: readonly Cause[] };
type OfRoles = Pick<Signature, 'roles'>;
type Line = Pick<Hit, 'signature' | 'captures'>;

/** Whether a signature shows an engine that is up, or at work: what is above it did not end it. */
export function goesOn(signature: OfRoles): boolean {
  return hasRole(signature, 'up') || hasRole(signature, 'answered') || hasRole(signature, 'stats');
}

/** Whether a line shows an engine at work. One that hangs writes its figures, too: those with nothing generated tell nothing. */
export function isAtWork({ signature, captures }: Line): boolean {
  if (hasRole(signature, 'answered')) return true;
  return hasRole(signature, 'stats') && Number(captures.genTps ?? captures.running ?? 1) > 0;
}

/** Whether a line shows an engine that is up, or at work. */
export function showsLife(hit: Line): boolean {
  return hasRole(hit.signature, 'up') || isAtWork(hit);
}

/** Whether a signature is the word of a process, or of one that saw it, that it died of what it tells. */
export function tellsOfDeath(signature: OfRoles): boolean {
  return hasRole(signature, 'died');
}

/**
 * Whether a signature reports a process that a signal ended: a shell, a server that waits for its runner, a launcher, and
 * the parent of a stub see the signal alone.
 */
export function isEndBySignal(signature: OfRoles): boolean {
  return hasRole(signature, 'signalled');
}

/** Whether a signature tells that a process ended. */
export function isEndOfProcess(signature: OfRoles): boolean {
  return tellsOfDeath(signature) || isEndBySignal(signature);
}

// These are printed by engines that run on: a refused request or a preempted one ends nothing.
const RUNS_ON: ReadonlySet<Cause> = new Set(['none.request-rejected', 'none.preemption-warning']);

/** Whether a signature reports what ends no process. */
export function endsNothing({ causes }: OfCauses): boolean {
  const cause = causes[0];
  return cause !== undefined && RUNS_ON.has(cause);
}

/** A build for several devices, and a check of what is there, say that a driver or a device is missing, and mostly go on without. */
export function lacksDriver({ causes }: OfCauses): boolean {
  return causes[0] === 'none.driver';
}

/** Whether a signature reports a failure that settles which memory it was, or that it was none. */
export function isFailure(signature: Signature): boolean {
  if (signature.plane === 'unknown' || endsNothing(signature) || lacksDriver(signature)) return false;
  return isWeighty(signature) || signature.weight === 'rules-out';
}

/** Whether a signature settles the plane by itself, or unless a proof says otherwise. */
export function isWeighty({ weight }: Signature): boolean {
  return weight === 'proof' || weight === 'strong';
}
