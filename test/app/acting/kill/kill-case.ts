import { DEPLOYMENT, KINDS, type KillKind, SCALE } from './kill-kinds.ts';
import { type KillLab, LEASE_MS } from './kill-lab.ts';
import type { KillAt } from './kill-proxy.ts';
import type { PatientSeen } from './patient.ts';

export type KillCase = KillAt & { readonly kind: KillKind; readonly way: 'forward' | 'back' };

type KillOutcome = PatientSeen & {
  readonly killed: boolean;
  readonly reports: number;
  readonly state: string;
};

/** What every kill point has to come to. */
export function wanted({ way, kind }: KillCase): Omit<KillOutcome, 'absorbed'> {
  const { forward, ahead, back, cleared, changed, left } = kind;
  const isForward = way === 'forward';
  return {
    killed: true,
    applied: isForward ? forward : [...forward.slice(0, ahead), ...back, ...cleared.map((one) => `cleared ${one}`)],
    changed: isForward ? changed : left,
    reports: 1,
    state: isForward ? 'done' : endOf(kind),
  };
}

// A run that undid nothing does not call itself rolled back.
function endOf({ back }: KillKind): string {
  return back.length > 0 ? 'rolled-back' : 'aborted';
}

const WHENS = ['before', 'after', 'late'] as const;
const WHEN = { before: 'before', after: 'after', late: 'just after' } as const;

/** Around every effect of a Deployment's run, and around those that only other kinds have. */
export const ALL_CASES: readonly KillCase[] = KINDS.flatMap((kind) =>
  (['forward', 'back'] as const).flatMap((way) =>
    kind.points[way].flatMap((effect) => WHENS.map((when) => ({ kind, way, effect, when }))),
  ),
);

/** A store sees the kind of a change nowhere: of the others only the write whose answer was lost. */
export const CASES_OF_POSTGRES: readonly KillCase[] = ALL_CASES.filter(
  ({ kind, when }) => kind === DEPLOYMENT || kind === SCALE || when === 'after',
);

export function idOf({ kind, way, effect, when }: KillCase): string {
  return `${kind.id}-${way}-${effect}-${when}`;
}

/** The kill point and its outcome, in words. */
export function sayCase({ kind, way, effect, when }: KillCase): string {
  const { forward, ahead, back } = kind;
  const effects = [...(way === 'forward' ? forward : [...forward.slice(0, ahead), ...back]), 'the report'];
  const end =
    way === 'forward' ? 'the new values, one report, done' : `the values of before, one report, ${endOf(kind)}`;
  const where = way === 'forward' ? '' : ', on the way back';
  return `${kind.says}: killed ${WHEN[when]} ${effects[effect - 1]} (effect ${effect}${where}): each write once, ${end}`;
}

export type KillPlace = {
  readonly store: string;
  /** Of which stand-in it is a patient. */
  readonly ward?: string;
  /** PostgreSQL has its own clock, and a bot that is ahead of it sleeps longer. */
  readonly expireLease?: () => Promise<void>;
};

/** Kills a bot around one effect, has another take over, and looks at what came of it. */
export async function killOnce(
  lab: KillLab,
  one: KillCase,
  { store, ward = 'sqlite', expireLease }: KillPlace,
): Promise<KillOutcome> {
  const patient = await lab.open(one.kind, { ward: `${ward}-${one.kind.id}`, namespace: idOf(one), store });
  const errand = patient.errand({ bad: one.way === 'back' });
  const survivor = lab.survivor(expireLease === undefined ? LEASE_MS : 0);
  const first = lab.bot(errand);
  patient.proxy.arm(first.kill, one);
  const killed = (await first.exit) === 'killed';
  await expireLease?.();
  await survivor.takeOver(errand);
  const { state } = await patient.run();
  const seen = await patient.look();
  await patient.discharge();
  return { ...seen, killed, reports: patient.proxy.reports.length, state };
}
