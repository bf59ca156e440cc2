import { AFTER, BACK, BEFORE, FORWARD, type KillLab, LEASE_MS } from './kill-lab.ts';
import type { KillAt } from './kill-proxy.ts';

export type KillCase = KillAt & { readonly way: 'forward' | 'back' };

export type KillOutcome = {
  readonly killed: boolean;
  readonly applied: readonly number[];
  readonly values: readonly [unknown, unknown];
  readonly reports: number;
  readonly state: string;
  /** Requests that came again and changed nothing: the price of at-least-once. */
  readonly absorbed: number;
};

/** What every kill point has to come to. */
export function wanted({ way }: KillCase): Omit<KillOutcome, 'absorbed'> {
  const forward = way === 'forward';
  return {
    killed: true,
    applied: forward ? FORWARD : [...FORWARD, ...BACK],
    values: forward ? [...AFTER] : [...BEFORE],
    reports: 1,
    state: forward ? 'done' : 'rolled-back',
  };
}

const WHEN = ['before', 'after', 'late'] as const;

/** Every effect of a run: four writes and a report; on the way back four more. */
export const ALL_CASES: readonly KillCase[] = [
  ...[1, 2, 3, 4, 5].flatMap((effect) => WHEN.map((when) => ({ way: 'forward' as const, effect, when }))),
  ...[5, 6, 7, 8, 9].flatMap((effect) => WHEN.map((when) => ({ way: 'back' as const, effect, when }))),
];

export function nameOf({ way, effect, when }: KillCase): string {
  return `${way}-${effect}-${when}`;
}

/** Kills a bot around one effect, starts another, and looks at what came of it. */
export async function killOnce(
  lab: KillLab,
  { store, expireLease, ...at }: KillCase & { store: string; expireLease?: () => Promise<void> },
): Promise<KillOutcome> {
  const patient = await lab.open(nameOf(at), store);
  const bad = at.way === 'back';
  const first = patient.start({ bad });
  patient.proxy.arm(first.kill, at);
  const killed = (await first.exit) === 'killed';
  await expireLease?.();
  // PostgreSQL has its own clock, and a bot that is ahead of it sleeps longer.
  await patient.start({ bad, shiftMs: expireLease === undefined ? LEASE_MS : 0 }).exit;
  const { state } = await patient.run();
  return {
    killed,
    applied: await patient.applied(),
    values: await patient.values(),
    reports: patient.proxy.reports.length,
    state,
    absorbed: await patient.absorbed(),
  };
}
