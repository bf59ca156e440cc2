import { readPointer, toPointer, valueAt } from '../../model/json-patch.ts';
import type { PatchOperation } from '../../model/plan.ts';
import { toKey } from './engine-flags.ts';
import type { ArgChange, ArgEdit, EditOutcome, RefusalReason } from './outcome.ts';
import { refuse } from './refuse.ts';

export type FieldsInput = {
  readonly object: unknown;
  /** JSON pointer of each flag's field in the object. */
  readonly fields: Readonly<Record<string, string>>;
  readonly edits: readonly ArgEdit[];
};

type Scalar = string | number | boolean;
type Step = {
  readonly patch: readonly PatchOperation[];
  readonly inverse: readonly PatchOperation[];
  readonly change: ArgChange;
};

/** Changes fields of a custom resource that stand for flags; the type of a field is kept. Never throws. */
export function editFields({ object, fields, edits }: FieldsInput): EditOutcome {
  const paths = new Map(Object.entries(fields).map(([flag, path]) => [toKey(flag), path]));
  const keys = edits.map(({ flag }) => toKey(flag));
  if (new Set(keys).size < keys.length) return refuse('conflicting-edits', null, null);
  const steps: Step[] = [];
  for (const edit of edits) {
    const path = paths.get(toKey(edit.flag));
    const step = path === undefined ? 'field-absent' : planField(object, path, edit);
    if (typeof step === 'string') return refuse(step, edit.flag, null);
    if (step !== null) steps.push(step);
  }
  if (steps.length === 0) return refuse('nothing-to-change', null, null);
  return {
    kind: 'edited',
    patch: steps.flatMap(({ patch }) => patch),
    inverse: steps.toReversed().flatMap(({ inverse }) => inverse),
    changed: steps.map(({ change }) => change),
  };
}

function planField(object: unknown, path: string, { flag, to }: ArgEdit): Step | RefusalReason | null {
  const old = valueAt(object, path);
  if (old !== undefined && !isScalar(old)) return 'field-type';
  if (old === undefined && to === null) return null;
  const change = { flag, from: old === undefined ? null : String(old), to, where: path };
  if (old !== undefined && to === null) {
    return {
      change,
      patch: [
        { op: 'test', path, value: old },
        { op: 'remove', path },
      ],
      inverse: [{ op: 'add', path, value: old }],
    };
  }
  const value = readAs(typeof old, to ?? '');
  if (value === undefined) return 'field-type';
  if (value === old) return null;
  if (old !== undefined) {
    const set = (from: Scalar, next: Scalar): PatchOperation[] => [
      { op: 'test', path, value: from },
      { op: 'replace', path, value: next },
    ];
    return { change, patch: set(old, value), inverse: set(value, old) };
  }
  const parent = valueAt(object, toPointer((readPointer(path) ?? []).slice(0, -1)));
  if (typeof parent !== 'object' || parent === null || Array.isArray(parent)) return 'field-absent';
  return {
    change,
    patch: [{ op: 'add', path, value }],
    inverse: [
      { op: 'test', path, value },
      { op: 'remove', path },
    ],
  };
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

// Where there is no value yet, its looks tell; the API server's own check comes before anything is shown.
function readAs(type: string, text: string): Scalar | undefined {
  const isNumber = /^-?(?:\d+(?:\.\d+)?|\.\d+)$/.test(text);
  const isSwitch = text === 'true' || text === 'false';
  if (type === 'number') return isNumber ? Number(text) : undefined;
  if (type === 'boolean') return isSwitch ? text === 'true' : undefined;
  if (type === 'string') return text;
  return isNumber ? Number(text) : isSwitch ? text === 'true' : text;
}
