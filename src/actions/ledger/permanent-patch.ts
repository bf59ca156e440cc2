import { stringify } from 'yaml';
import { readPointer, toPointer, valueAt } from '../../model/json-patch.ts';
import type { Plan } from '../../model/plan.ts';
import { isMap } from '../change.ts';
import { hideValues } from '../plan/hide-values.ts';
import type { WrittenValue } from './written-values.ts';

/**
 * The fields that were set as a strategic merge patch of each object, to be pasted into its manifest. Names of list items
 * come from `live`, by uid; undefined where one is not known. New objects of the plan come whole.
 */
export function permanentPatch(
  values: readonly WrittenValue[],
  live: ReadonlyMap<string, unknown>,
  { steps }: Pick<Plan, 'steps'>,
): string | undefined {
  const docs: unknown[] = steps.flatMap((step) => (step.kind === 'create' ? [step.manifest] : []));
  for (const own of Map.groupBy(values, ({ object }) => object.uid).values()) {
    const doc = patchOf(own, live);
    if (doc === undefined) return undefined;
    docs.push(doc);
  }
  return docs.map(toYaml).join('---\n');
}

function toYaml(doc: unknown): string {
  return stringify(hideValues({}, doc)[1], { lineWidth: 0, aliasDuplicateObjects: false });
}

type Json = Record<string, unknown>;

function patchOf(values: readonly WrittenValue[], live: ReadonlyMap<string, unknown>): Json | undefined {
  const [first] = values;
  const object = first && live.get(first.object.uid);
  if (first === undefined || object === undefined) return undefined;
  const { apiVersion, kind, name, namespace } = first.object;
  const doc: Json = { apiVersion, kind, metadata: { name, namespace } };
  const isWhole = values.every((value) => place(doc, object, readPointer(value.path) ?? [], value));
  return isWhole ? doc : undefined;
}

type Placed = Pick<WrittenValue, 'from' | 'to'>;

// An item of a list is merged by its name; one without a name cannot be.
function place(node: Json, live: unknown, [key = '', ...rest]: readonly string[], value: Placed): boolean {
  const child = valueAt(live, toPointer([key]));
  const [index, ...inner] = rest;
  if (index === undefined) {
    node[key] = value.to ?? null;
    return key !== '';
  }
  if (!Array.isArray(child)) {
    node[key] ??= {};
    return place(node[key] as Json, child, rest, value);
  }
  const item = [
    inner.length === 0 ? value.to : null,
    inner.length === 0 ? value.from : null,
    child[Number(index)],
  ].find(isMap);
  if (typeof item?.name !== 'string') return false;
  const own = itemOf(node, key, item.name);
  if (inner.length > 0) return place(own, child[Number(index)], inner, value);
  Object.assign(own, isMap(value.to) ? value.to : { $patch: 'delete' });
  return true;
}

function itemOf(node: Json, key: string, name: string): Json {
  node[key] ??= [];
  const items = node[key] as Json[];
  const known = items.find((one) => one.name === name);
  if (known !== undefined) return known;
  const item: Json = { name };
  items.push(item);
  return item;
}
