import { MEMORY_LIMIT } from '../../model/flag-values.ts';
import { valueAt } from '../../model/json-patch.ts';
import { GIB, MIB, parseQuantity } from '../../model/quantity.ts';
import { wholeLimit } from '../../model/safe-values.ts';
import type { ChangedValue } from '../../model/temporary-change.ts';
import type { Edit, Remedy, Verdict } from '../../model/verdict.ts';
import { editArguments } from '../arguments/edit-arguments.ts';
import { knownEntrypoint } from '../arguments/known-entrypoint.ts';
import { type Change, NO_CHANGE } from '../change.ts';
import { allocatorEdit } from '../plan/allocator-edit.ts';
import { raiseMemory } from '../plan/change-memory.ts';
import type { Manifest } from './manifest.ts';

type Known = Extract<Manifest, { kind: 'manifest' }>;
type Engine = { readonly name: string; readonly version: string | null };

/** One part of a permanent fix: what it sets, and its patch; without a patch `says` is what to do by hand. */
export type FixPart = {
  readonly values: readonly ChangedValue[];
  readonly change: Change;
  readonly says: string | undefined;
};

type Offered = Edit & Pick<Remedy, 'action'>;

const isNumber = ({ to }: Edit): boolean => /^\d/.test(to ?? '');
const isSet = ({ to }: Edit): boolean => to !== null;

/** The values that a finding computed: the numbers of its first mitigation, and those of its lasting fixes. A flag once. */
export function computedEdits({ remedies }: Pick<Verdict, 'remedies'>): readonly Offered[] {
  const of = ({ action, edits }: Remedy, wanted: (edit: Edit) => boolean): Offered[] =>
    edits.filter(wanted).map((edit) => ({ ...edit, action }));
  // A switch that a mitigation turns off (prefix caching) is turned on again once the cause is gone.
  const mitigation = remedies.find(({ kind, edits }) => kind === 'stop-bleed' && edits.some(isNumber));
  const lasting = remedies.filter(({ kind }) => kind === 'lasting').flatMap((remedy) => of(remedy, isSet));
  const chosen = [...(mitigation === undefined ? [] : of(mitigation, isNumber)), ...lasting];
  return chosen.filter(({ flag }, i) => chosen.findIndex((other) => other.flag === flag) === i);
}

/** The arguments and variables that the finding computed. */
export function argumentPart(verdict: Pick<Verdict, 'remedies'>, manifest: Known, engine: Engine): FixPart | undefined {
  const once = computedEdits(verdict)
    .filter(({ flag }) => flag !== MEMORY_LIMIT)
    .flatMap((edit) => editOf(edit, manifest, engine));
  if (once.length === 0) return undefined;
  const { container } = manifest;
  const outcome = editArguments({
    container: container.value,
    at: container.path,
    edits: once.map(({ flag, to }) => ({ flag, to })),
    engine: engine.name,
    version: engine.version,
    entrypoint: knownEntrypoint(valueAt(container.value, '/image'), engine.name),
  });
  if (outcome.kind === 'refused') {
    if (outcome.reason === 'nothing-to-change') return undefined;
    const values = once.map(({ flag, from, to }) => ({ label: flag, from, to }));
    return { values, change: NO_CHANGE, says: outcome.says };
  }
  const values = outcome.changed.map(({ flag, from, to }) => ({ label: flag, from, to }));
  return { values, change: outcome, says: undefined };
}

function editOf({ action, ...edit }: Offered, { container }: Known, { version }: Engine): Edit[] {
  if (action !== 'set-allocator') return [edit];
  const outcome = allocatorEdit(container.value, edit, version ?? undefined);
  return outcome.kind === 'edit' ? [outcome.edit] : [];
}

/** The memory limit with headroom, where the finding wants more RAM: what a remedy computed or 1.3 times the measured peak, whichever is more. */
export function memoryPart(
  { plane, cause, remedies }: Pick<Verdict, 'plane' | 'cause' | 'remedies'>,
  { container }: Known,
  measured: number | undefined,
): FixPart | undefined {
  if (plane !== 'host' && plane !== 'both') return undefined;
  const offered = remedies.flatMap(({ edits }) => edits.filter(({ flag }) => flag === MEMORY_LIMIT));
  // Of shared memory and node memory the limit is another one.
  const isByPeak =
    cause !== 'host.shm' && remedies.some(({ direction, kind }) => direction === 'raise' && kind === 'lasting');
  if (offered.length === 0 && !isByPeak) return undefined;
  const bytes = [measured ?? 0, ...offered.map(({ to }) => parseQuantity(to ?? '') ?? 0)];
  const to = wholeLimit(Math.max(...bytes));
  const now = valueAt(container.value, '/resources/limits/memory');
  if (typeof now !== 'string' || to <= (parseQuantity(now) ?? Number.POSITIVE_INFINITY)) return undefined;
  const text = quantityOf(to);
  return {
    values: [{ label: MEMORY_LIMIT, from: now, to: text }],
    change: raiseMemory(container, text),
    says: undefined,
  };
}

function quantityOf(bytes: number): string {
  return bytes % GIB === 0 ? `${bytes / GIB}Gi` : `${Math.ceil(bytes / MIB)}Mi`;
}
