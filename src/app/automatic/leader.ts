import type { Clock, Log } from '../ports.ts';
import type { LeaseAnswer, LeaseClaim, Leases } from '../watch-ports.ts';

/** A time in which this replica leads. */
export type Term = {
  readonly signal: AbortSignal;
  /** Whether it leads now. A process that froze finds that it does not before its signal says so: ask before each deed. */
  leads(): boolean;
};

export type LeaderDeps = {
  readonly leases: Leases;
  readonly claim: Omit<LeaseClaim, 'seconds'>;
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>;
  readonly log: Log;
  /** What a leader does until its signal ends. Never rejects. */
  lead(term: Term): Promise<void>;
  onChange(leads: boolean): void;
};

const LEASE_S = 15;
const RENEW_MS = 5_000;
const CLAIM_MS = 4_000;
const RELEASE_MS = 2_000;

/** Leads while its last claim that was granted, counted from before it was sent, is younger than the Lease. `stop` gives it back. */
export function startLeader(deps: LeaderDeps): { stop(): Promise<void> } {
  const end = new AbortController();
  const ended = campaign(deps, end.signal).catch((error: unknown) =>
    deps.log.error('leader election failed', { error }),
  );
  return {
    async stop() {
      end.abort();
      await ended;
    },
  };
}

async function campaign(deps: LeaderDeps, stop: AbortSignal): Promise<void> {
  const { leases, clock, log, onChange } = deps;
  const claim = { ...deps.claim, seconds: LEASE_S };
  let until = Number.NEGATIVE_INFINITY;
  const leads = (): boolean => clock.monotonic() < until;
  let term: { over: AbortController; ended: Promise<void> } | undefined;
  const follow = async (): Promise<void> => {
    if (term !== undefined && !leads()) {
      log.warn('no longer leader of the watch', { lease: claim.name });
      onChange(false);
      term.over.abort();
      await term.ended;
      term = undefined;
    }
    // The end of the last term may have taken a while.
    if (term !== undefined || !leads() || stop.aborted) return;
    log.info('leader of the watch', { lease: claim.name });
    onChange(true);
    const over = new AbortController();
    term = { over, ended: deps.lead({ signal: over.signal, leads: () => !over.signal.aborted && leads() }) };
  };
  onChange(false);
  while (!stop.aborted) {
    const before = clock.monotonic();
    const answer = await claimInTime(leases, claim, stop);
    if (answer.kind === 'held') until = before + LEASE_S * 1000;
    else if (answer.kind === 'other') until = Number.NEGATIVE_INFINITY;
    else if (!stop.aborted) log.warn('lease not claimed', { why: answer.why, lease: claim.name });
    await follow();
    await clock.sleep(RENEW_MS, stop).catch(() => undefined);
  }
  const held = leads();
  until = Number.NEGATIVE_INFINITY;
  await follow();
  if (held) await leases.release(claim, AbortSignal.timeout(RELEASE_MS));
}

// `AbortSignal.any` would leave something of each claim with the signal that lives as long as the process.
async function claimInTime(leases: Leases, claim: LeaseClaim, stop: AbortSignal): Promise<LeaseAnswer> {
  const over = new AbortController();
  const end = (): void => over.abort();
  stop.addEventListener('abort', end, { once: true });
  AbortSignal.timeout(CLAIM_MS).addEventListener('abort', end, { once: true });
  try {
    return await leases.claim(claim, over.signal);
  } finally {
    stop.removeEventListener('abort', end);
  }
}
