import type { ActionId } from '../../../model/action.ts';
import type { Bound } from '../../../model/plan.ts';
import type { Diagnosis, Edit, Remedy } from '../../../model/verdict.ts';
import type { PlanRequest } from './plan-request.ts';

export type ChosenEdits = {
  readonly action: ActionId;
  readonly edits: readonly Edit[];
  readonly bounds: readonly Bound[];
  readonly direction: Remedy['direction'];
  /** The profile that the remedy names. */
  readonly profile?: string | undefined;
  /** The edits as the finding has them, before anything was typed in their place. */
  readonly offered: readonly Edit[];
};

const WITH_EDITS: ReadonlySet<ActionId> = new Set(['set-args', 'stop-bleed', 'set-allocator', 'raise-ram']);

/** The action and the values that the finding offers, with typed values in their place. */
export function chooseEdits({ verdict }: Diagnosis, request: PlanRequest): ChosenEdits | undefined {
  const buttons = verdict.remedies.filter(({ action }) => action !== 'advise');
  const remedy =
    request.action === undefined && request.profile === undefined
      ? (buttons.find(({ kind }) => kind === 'stop-bleed') ?? buttons[0])
      : remedyFor(request.action ?? 'set-args', preferTyped(buttons, request));
  const action = request.action ?? remedy?.action ?? (request.profile && 'set-args');
  if (action === undefined) return undefined;
  const offered = WITH_EDITS.has(action) ? (remedy?.edits ?? []) : [];
  const typed = new Map(request.values.map(({ flag, to }) => [flag, to]));
  const kept = offered.map((edit) => (typed.has(edit.flag) ? { ...edit, to: typed.get(edit.flag) ?? null } : edit));
  const added = request.values
    .filter(({ flag }) => !offered.some((edit) => edit.flag === flag))
    .map(({ flag, to }): Edit => ({ flag, from: null, to, why: 'requested', facts: [] }));
  return {
    action,
    edits: [...kept, ...added],
    bounds: [
      ...offered.map((edit) => boundOf(edit, remedy?.direction ?? 'none')),
      ...added.flatMap(({ flag }) => boundElsewhere(flag, buttons)),
    ],
    direction: remedy?.direction ?? 'none',
    profile: WITH_EDITS.has(action) ? remedy?.profile : undefined,
    offered,
  };
}

// Two remedies may have the same action: the typed values select one.
function preferTyped(remedies: readonly Remedy[], { values }: PlanRequest): readonly Remedy[] {
  const holds = ({ edits }: Remedy): boolean => values.some(({ flag }) => edits.some((edit) => edit.flag === flag));
  return values.length === 0 ? remedies : remedies.toSorted((a, b) => Number(holds(b)) - Number(holds(a)));
}

// A typed value may belong to another remedy than the rest: its bounds hold all the same.
function boundElsewhere(flag: string, remedies: readonly Remedy[]): readonly Bound[] {
  for (const { edits, direction } of remedies) {
    const edit = edits.find((one) => one.flag === flag);
    if (edit !== undefined) return [boundOf(edit, direction)];
  }
  return [];
}

// The arguments that a finding offers to set are the same whether they are set alone or in the sequence.
function remedyFor(action: ActionId, remedies: readonly Remedy[]): Remedy | undefined {
  const own = remedies.find((remedy) => remedy.action === action);
  if (own !== undefined || (action !== 'set-args' && action !== 'stop-bleed')) return own;
  return remedies.find((remedy) => remedy.action === 'set-args' || remedy.action === 'stop-bleed');
}

// Nobody may turn the knob back past where it stands; a quarter of, or four times, what was computed is as far as a hand
// goes without a finding of its own.
const REACH = 4;

function boundOf({ flag, from, to }: Edit, direction: Remedy['direction']): Bound {
  const value = numberOf(to);
  if (value === null) return { flag, min: null, max: null };
  const now = numberOf(from);
  if (direction === 'lower') return { flag, min: round(value / REACH), max: now ?? value };
  if (direction === 'raise') return { flag, min: now ?? value, max: value < 1 ? 0.98 : value * REACH };
  return { flag, min: null, max: null };
}

function numberOf(text: string | null): number | null {
  const value = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) ? value : null;
}

function round(value: number): number {
  return value < 1 ? Math.round(value * 100) / 100 : Math.floor(value);
}
