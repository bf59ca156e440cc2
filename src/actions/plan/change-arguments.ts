import { z } from 'zod';
import { applyPatch, valueAt } from '../../model/json-patch.ts';
import { labels, lenient } from '../../model/lenient.ts';
import type { Edit } from '../../model/verdict.ts';
import { editArguments } from '../arguments/edit-arguments.ts';
import { editConfig } from '../arguments/edit-config.ts';
import type { ArgChange, EditOutcome, Refusal } from '../arguments/edit-outcome.ts';
import { knownEntrypoint } from '../arguments/known-entrypoint.ts';
import { setField } from '../change.ts';
import { patchCommand } from '../owners/kubectl.ts';
import type { ArgsWay, ContainerPlace, Owner } from '../owners/owner.ts';
import { findKind, type LiveRef, nameOf } from '../owners/read-object.ts';
import { type ChangeOutcome, changeOf, sayEdits } from './change-set.ts';
import { type PlanInput, type Refused, refuse } from './plan-input.ts';

/** Flags and variables of the engine, where this kind of owner keeps them. */
export function changeArguments(owner: Owner, edits: readonly Edit[], input: PlanInput): ChangeOutcome {
  const { args } = owner;
  if (args.kind === 'none') return refuse('no-container', args.says, args.paste ?? sayWords(edits));
  return args.kind === 'config-map'
    ? changeConfigMap(owner, args, edits, input)
    : changeContainers(owner, { edits, input, args });
}

type ContainerArgs = Extract<ArgsWay, { kind: 'container' }>;
type Wanted = { readonly edits: readonly Edit[]; readonly input: PlanInput; readonly args: ContainerArgs };

// Workers of a group that do not run the engine's command themselves have nothing to change.
const NOT_THE_WORKERS: readonly Refusal['reason'][] = [
  'engine-not-found',
  'entrypoint-unknown',
  'arguments-in-image',
  'nothing-to-change',
];

function changeContainers(owner: Owner, wanted: Wanted): ChangeOutcome {
  const name = nameOf(owner.head.ref);
  const [engine] = owner.containers;
  if (engine === undefined) {
    const says = `The engine container of ${name} is unknown, so oombot changes nothing.`;
    return refuse('no-container', says, sayWords(wanted.edits));
  }
  const outcomes = owner.containers.map((place) => ({ place, outcome: edit(place, wanted) }));
  const fault = outcomes.find(({ place, outcome }) => outcome.kind === 'refused' && !isFine(place, outcome));
  if (fault?.outcome.kind === 'refused') {
    const { elsewhere } = wanted.args;
    return elsewhere !== undefined && NOT_THE_WORKERS.includes(fault.outcome.reason)
      ? refuse('no-container', elsewhere.says, elsewhere.pasteWith(wordsOf(wanted.edits)))
      : refusalOf(fault.place, fault.outcome);
  }
  const edited = outcomes.flatMap(({ place, outcome }) =>
    outcome.kind === 'edited' ? [{ ...place, change: outcome, changed: outcome.changed }] : [],
  );
  const shown = withCurrent(
    wanted.edits,
    edited.flatMap(({ changed }) => changed),
  );
  const parts = edited.map(({ ref, object, change: { patch, inverse } }) => ({
    ref,
    object,
    change: { patch, inverse },
  }));
  return changeOf(name, parts, shown);
}

// The object outranks the evidence: its current values are shown.
function withCurrent(edits: readonly Edit[], changed: readonly ArgChange[]): readonly Edit[] {
  return edits.map((edit) => ({ ...edit, from: changed.find(({ flag }) => flag === edit.flag)?.from ?? null }));
}

function edit(place: ContainerPlace, { edits, input, args }: Wanted): EditOutcome {
  return editArguments({
    container: place.value,
    at: place.path,
    edits: edits.map(({ flag, to }) => ({ flag, to })),
    engine: input.engine.name,
    version: input.engine.version,
    entrypoint:
      args.entrypoint === 'engine' ? 'engine' : knownEntrypoint(valueAt(place.value, '/image'), input.engine.name),
    mayAddArgs: args.mayAddArgs,
    configMaps: textsOf(input.surroundings),
  });
}

function isFine({ role }: ContainerPlace, { reason }: Refusal): boolean {
  return role === 'worker' && NOT_THE_WORKERS.includes(reason);
}

function refusalOf({ ref }: { readonly ref: LiveRef }, { reason, says, paste }: Refusal): Refused {
  const text = paste === null ? null : paste.kind === 'text' ? paste.text : patchCommand(ref, paste.patch);
  return refuse(reason === 'nothing-to-change' ? 'nothing-to-do' : 'argument-editor', says, text);
}

const ConfigMap = z.looseObject({ data: labels, binaryData: lenient(z.record(z.string(), z.string())) });

function textsOf(surroundings: readonly unknown[]): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const maps = findKind(surroundings, 'ConfigMap');
  return Object.fromEntries(maps.map(({ ref, object }) => [ref.name, ConfigMap.safeParse(object).data?.data ?? {}]));
}

type ConfigArgs = Extract<ArgsWay, { kind: 'config-map' }>;

// A ConfigMap that is changed in place restarts nothing, and cannot be told from the old one; a new name can.
function changeConfigMap(owner: Owner, args: ConfigArgs, edits: readonly Edit[], input: PlanInput): ChangeOutcome {
  const { ref, object, path, key, section, map } = args;
  const variables = edits.filter(({ flag }) => /^[A-Z]/.test(flag));
  if (variables.length > 0) return refuseVariables(owner, variables);
  const at = `/data/${key}`;
  const text = valueAt(map, at);
  if (typeof text !== 'string') return refuse('argument-editor', `The ConfigMap ${args.name} has no ${key}.`);
  const outcome = editConfig({
    engine: input.engine.name,
    text,
    at,
    section,
    edits: edits.map(({ flag, to }) => ({ flag, to })),
  });
  if (outcome.kind === 'refused') return refusalOf({ ref }, outcome);
  const applied = applyPatch(map, outcome.patch);
  const data = ConfigMap.safeParse(applied.kind === 'applied' ? applied.value : undefined).data;
  if (data?.data === undefined) return refuse('argument-editor', `The ConfigMap ${args.name} cannot be copied.`);
  const name = newName(args.name, input);
  const { namespace } = ref;
  const { binaryData } = data;
  const manifest = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace },
    data: data.data,
    ...(binaryData && { binaryData }),
  };
  const shown = withCurrent(edits, outcome.changed);
  return {
    kind: 'change',
    creates: [{ ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name, uid: null }, manifest }],
    writes: [{ ref, object, change: setField(object, path, name) }],
    edits: shown,
    says: `point ${nameOf(ref)} to ConfigMap/${name}: ${sayEdits(shown)}`,
  };
}

function refuseVariables({ head, byHand }: Owner, edits: readonly Edit[]): Refused {
  const says = `${nameOf(head.ref)} sets the variables of its pods itself. Set them by hand on the object that creates its pods; its controller may revert that.`;
  const words = edits.map(({ flag, to }) => (to === null ? `${flag}-` : `${flag}=${to}`));
  return refuse('no-container', says, byHand?.env(words) ?? null);
}

/** `<old>-oom-<incident>`, as a name that the API takes; a second change of one incident gets another. */
function newName(old: string, { incident, at }: Pick<PlanInput, 'incident' | 'at'>): string {
  const own = `${incident ?? ''}-${at.replaceAll(/\D/g, '').slice(0, 14)}`;
  const clean = own
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');
  return `${old.replace(/-oom-.*$/, '').slice(0, 180)}-oom-${clean}`.slice(0, 253);
}

function sayWords(edits: readonly Edit[]): string | null {
  const words = wordsOf(edits);
  return words.length === 0 ? null : words.join(' ');
}

function wordsOf(edits: readonly Edit[]): readonly string[] {
  return edits.flatMap(({ flag, to }) => (to === null ? [] : [`${flag}=${to}`]));
}
