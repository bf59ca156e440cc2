import type { PatchOperation } from '../../model/plan.ts';
import type { ArgEdit, RefusalReason } from './edit-outcome.ts';
import { type Container, findVariable } from './read-container.ts';
import type { Spliced } from './splice-words.ts';

/** A patch and its inverse, at paths from the container. */
export type TwoWay = { readonly patch: readonly PatchOperation[]; readonly inverse: readonly PatchOperation[] };

type Json = Extract<PatchOperation, { op: 'test' }>['value'];
const NO_PATCH: TwoWay = { patch: [], inverse: [] };

/** Joins patches in order; their inverses run the other way round. */
export function joinPatches(parts: readonly TwoWay[]): TwoWay {
  return { patch: parts.flatMap(({ patch }) => patch), inverse: parts.toReversed().flatMap(({ inverse }) => inverse) };
}

function replaceAt(path: string, from: Json, to: Json): TwoWay {
  return {
    patch: [
      { op: 'test', path, value: from },
      { op: 'replace', path, value: to },
    ],
    inverse: [
      { op: 'test', path, value: to },
      { op: 'replace', path, value: from },
    ],
  };
}

/** Puts new words into `command` and `args`. `json` is the whole container, tested where a list is yet to be made. */
export function patchLists(container: Container, spliced: Spliced, json: Json): TwoWay | RefusalReason {
  const command = patchList('command', { container, spliced, json });
  const args = patchList('args', { container, spliced, json });
  if (typeof command === 'string') return command;
  return typeof args === 'string' ? args : joinPatches([command, args]);
}

type Lists = { readonly container: Container; readonly spliced: Spliced; readonly json: Json };

function patchList(name: 'command' | 'args', { container, spliced, json }: Lists): TwoWay | RefusalReason {
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
  if (old === undefined) return items.length === 0 ? NO_PATCH : addWhole(path, items, json);
  if (items.length === old.length && items.every((item, i) => item === old[i])) return NO_PATCH;
  // An empty list is none to the API server: what the image brings would take its place.
  return items.length === 0 ? 'arguments-in-image' : replaceAt(path, [...old], items);
}

// That nothing stands there cannot be tested, but that the whole is as it was seen can.
function addWhole(path: string, value: Json, whole: Json): TwoWay {
  return {
    patch: [
      { op: 'test', path: '', value: whole },
      { op: 'add', path, value },
    ],
    inverse: [
      { op: 'test', path, value },
      { op: 'remove', path },
    ],
  };
}

/** Puts new texts into variables that hold arguments. */
export function patchTexts({ env }: Container, { texts }: Spliced): TwoWay {
  const parts = (env ?? []).map(({ item }, i) => {
    const value = texts.get(`/env/${i}/value`);
    return value === undefined ? NO_PATCH : replaceAt(`/env/${i}`, item as Json, { ...item, value });
  });
  return joinPatches(parts);
}

/** Sets or takes out variables; of several with one name, the last, which is the one in force. */
export function patchVariables({ env }: Container, edits: readonly ArgEdit[], json: Json): TwoWay | RefusalReason {
  const parts: TwoWay[] = [];
  const gone: number[] = [];
  const added: Json[] = [];
  for (const { flag, to } of edits) {
    const found = findVariable(env, flag);
    if (found === undefined && to !== null) added.push({ name: flag, value: to });
    if (found === undefined) continue;
    if (found.value === undefined) return 'variable-from-elsewhere';
    if (to !== null && to !== found.value)
      parts.push(replaceAt(`/env/${found.index}`, found.item as Json, { ...found.item, value: to }));
    if (to === null) gone.push(...indicesOf(env, flag));
  }
  if (gone.length > 0 && gone.length === env?.length && added.length === 0) return dropAll(env);
  return joinPatches([
    ...parts,
    ...addVariables(env, added, json),
    ...gone.sort((a, b) => b - a).map((at) => dropAt(env, at)),
  ]);
}

function indicesOf(env: Container['env'], name: string): number[] {
  return (env ?? []).flatMap((variable, i) => (variable.name === name ? [i] : []));
}

// Values of other variables may be secrets: their names alone fix the places.
function addVariables(env: Container['env'], added: readonly Json[], json: Json): TwoWay[] {
  if (added.length === 0) return [];
  if (env === undefined) return [addWhole('/env', [...added], json)];
  if (env.length === 0) return [replaceAt('/env', [], [...added])];
  return added.map((value, i) => {
    const path = `/env/${env.length + i}`;
    const names = env.map(({ name }, at): PatchOperation => ({ op: 'test', path: `/env/${at}/name`, value: name }));
    return {
      patch: [...(i === 0 ? names : []), { op: 'add', path, value }],
      inverse: [
        { op: 'test', path, value },
        { op: 'remove', path },
      ],
    };
  });
}

function dropAt(env: Container['env'], at: number): TwoWay {
  const value = (env?.[at]?.item ?? null) as Json;
  const path = `/env/${at}`;
  return {
    patch: [
      { op: 'test', path, value },
      { op: 'remove', path },
    ],
    inverse: [{ op: 'add', path, value }],
  };
}

// The API server keeps no empty list, so that there is none to test on the way back.
function dropAll(env: NonNullable<Container['env']>): TwoWay {
  const value = env.map(({ item }) => item as Json);
  return {
    patch: [
      { op: 'test', path: '/env', value },
      { op: 'remove', path: '/env' },
    ],
    inverse: [{ op: 'add', path: '/env', value }],
  };
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
