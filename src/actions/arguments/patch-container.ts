import type { PatchOperation } from '../../model/plan.ts';
import { type Change, dropAt, joinChanges, NO_CHANGE, replaceAt } from '../change.ts';
import type { ArgEdit, RefusalReason } from './edit-outcome.ts';
import { type Container, findVariable } from './read-container.ts';
import type { Spliced } from './splice-words.ts';

type Json = Extract<PatchOperation, { op: 'test' }>['value'];

/** Puts new words into `command` and `args`. `json` is the whole container, tested where a list is yet to be made. */
export function patchLists(container: Container, spliced: Spliced, json: Json): Change | RefusalReason {
  const command = patchList('command', { container, spliced, json });
  const args = patchList('args', { container, spliced, json });
  if (typeof command === 'string') return command;
  return typeof args === 'string' ? args : joinChanges([command, args]);
}

type Lists = { readonly container: Container; readonly spliced: Spliced; readonly json: Json };

function patchList(name: 'command' | 'args', { container, spliced, json }: Lists): Change | RefusalReason {
  const { texts, removed, inserted } = spliced;
  const old = container[name];
  const added = inserted?.list === name ? inserted : null;
  const items = (old ?? []).flatMap((item, i) => {
    const holder = `/${name}/${i}`;
    const own = removed.has(holder) ? [] : [texts.get(holder) ?? item];
    return added?.index === i ? [...added.words, ...own] : own;
  });
  if (added !== null && added.index >= (old ?? []).length) items.push(...added.words);
  const path = `/${name}`;
  if (old === undefined) return items.length === 0 ? NO_CHANGE : addWhole(path, items, json);
  if (items.length === old.length && items.every((item, i) => item === old[i])) return NO_CHANGE;
  // An empty list is none to the API server: what the image brings would take its place.
  return items.length === 0 ? 'arguments-in-image' : replaceAt(path, [...old], items);
}

// That nothing is there cannot be tested, but that the whole is as it was seen can.
function addWhole(path: string, value: Json, whole: Json): Change {
  return {
    patch: [
      { op: 'test', path: '', value: whole },
      { op: 'add', path, value },
    ],
    inverse: dropAt(path, value),
  };
}

/** Puts new texts into variables that hold arguments. */
export function patchTexts({ env }: Container, { texts }: Spliced): Change {
  const parts = (env ?? []).map(({ item }, i) => {
    const value = texts.get(`/env/${i}/value`);
    return value === undefined ? NO_CHANGE : replaceAt(`/env/${i}`, item, { ...item, value });
  });
  return joinChanges(parts);
}

/** Sets or takes out variables; of several with one name, the last, which is the one in force. */
export function patchVariables({ env }: Container, edits: readonly ArgEdit[], json: Json): Change | RefusalReason {
  const parts: Change[] = [];
  const gone: Placed[] = [];
  const added: Json[] = [];
  for (const { flag, to } of edits) {
    const found = findVariable(env, flag);
    if (found === undefined && to !== null) added.push({ name: flag, value: to });
    if (found === undefined) continue;
    if (found.value === undefined) return 'variable-from-elsewhere';
    if (to !== null && to !== found.value)
      parts.push(replaceAt(`/env/${found.index}`, found.item, { ...found.item, value: to }));
    if (to === null) gone.push(...placesOf(env, flag));
  }
  gone.sort((a, b) => b.at - a.at);
  if (gone.length > 0 && gone.length === env?.length && added.length === 0) {
    return drop('/env', gone.map(({ value }) => value).toReversed());
  }
  return joinChanges([
    ...parts,
    ...addVariables(env, added, json),
    ...gone.map(({ at, value }) => drop(`/env/${at}`, value)),
  ]);
}

type Placed = { readonly at: number; readonly value: Json };

function placesOf(env: Container['env'], name: string): Placed[] {
  return (env ?? []).flatMap((one, at) => (one.name === name ? [{ at, value: one.item as Json }] : []));
}

// Values of other variables may be secrets: their names alone fix the places.
function addVariables(env: Container['env'], added: readonly Json[], json: Json): Change[] {
  if (added.length === 0) return [];
  if (env === undefined) return [addWhole('/env', [...added], json)];
  if (env.length === 0) return [replaceAt('/env', [], [...added])];
  return added.map((value, i) => {
    const path = `/env/${env.length + i}`;
    const names = env.map(({ name }, at): PatchOperation => ({ op: 'test', path: `/env/${at}/name`, value: name }));
    return {
      patch: [...(i === 0 ? names : []), { op: 'add', path, value }],
      inverse: dropAt(path, value),
    };
  });
}

// The API server keeps no empty list, so there is none to test in a rollback.
function drop(path: string, value: Json): Change {
  return { patch: dropAt(path, value), inverse: [{ op: 'add', path, value }] };
}

const PASSED_ON = 'NIM_PASSTHROUGH_ARGS';

/**
 * Whether a NIM's own words or the arguments that it passes on hold a flag, or may hold it: they win over the variable that
 * says the same (NVIDIA NIM LLM 2, Advanced Configuration, Configuration Priority).
 */
export function isOutranked(flag: string, { command = [], args = [], env }: Container): boolean {
  const passedOn = findVariable(env, PASSED_ON);
  if (passedOn !== undefined && passedOn.value === undefined) return true;
  return [...command, ...args, passedOn?.value ?? ''].some((text) => mayHold(text, flag));
}

function mayHold(text: string, flag: string): boolean {
  const names = text.match(/--[A-Za-z][\w-]*/g) ?? [];
  return /[$`]/.test(text) || names.some((name) => name.replaceAll('_', '-') === flag);
}
