import { readPointer } from '../../model/json-patch.ts';
import type { Plan, Run } from '../../model/plan.ts';
import type { ChangedValue } from '../../model/temporary-change.ts';
import { hideValues } from '../plan/hide-values.ts';
import type { WrittenValue } from './written-values.ts';

const MOST_OF_VALUE = 120;

/** The values of a run as people know them: flags and settings of the plan where all of it was done, else the fields. */
export function changedValues(
  values: readonly WrittenValue[],
  { edits }: Pick<Plan, 'edits'>,
  { state }: Pick<Run, 'state'>,
): readonly ChangedValue[] {
  const isPlanned = state === 'done' && edits.length > 0;
  const fields = isPlanned ? values.filter(({ path }) => path.endsWith('/replicas')) : values;
  return [...(isPlanned ? edits.map(({ flag, from, to }) => shown(flag, from, to)) : []), ...fields.map(fieldOf)];
}

function fieldOf({ path, from, to }: WrittenValue): ChangedValue {
  const keys = readPointer(path) ?? [];
  const last = keys.at(-1) ?? path;
  const parent = keys.at(-2) ?? '';
  return shown(['limits', 'requests'].includes(parent) ? `${parent}.${last}` : last, from, to);
}

function shown(label: string, from: unknown, to: unknown): ChangedValue {
  const name = label.replace(/^-+/, '');
  const [old, now] = hideValues({ [name]: from ?? null }, { [name]: to ?? null });
  return { label, from: textOf(old, name), to: textOf(now, name) };
}

function textOf(holder: unknown, name: string): string | null {
  const value = (holder as Readonly<Record<string, unknown>>)[name];
  if (value === null || value === undefined) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= MOST_OF_VALUE ? text : `${text.slice(0, MOST_OF_VALUE - 1)}…`;
}
