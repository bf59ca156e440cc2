import { valueAt } from '../../model/json-patch.ts';
import { formatBytes, parseQuantity } from '../../model/quantity.ts';
import type { Edit } from '../../model/verdict.ts';
import { editArguments } from '../arguments/edit-arguments.ts';
import type { Owner } from '../owners/read-owner.ts';
import type { PlanInput } from './plan-input.ts';
import { type Change, joinChanges, setField } from './steps.ts';

/** The changes of the engine's container, with the edits as they will be, or why there are none. */
export type ContainerChange =
  | { readonly kind: 'change'; readonly change: Change; readonly edits: readonly Edit[] }
  | {
      readonly kind: 'refused';
      readonly why: 'no-container' | 'argument-editor' | 'nothing-to-do' | 'above-cap';
      readonly says: string;
      readonly paste: string | null;
    };

const MEMORY = 'resources.limits.memory';

/** Arguments, variables and the memory limit of the engine's container, as one patch of the owner. */
export function changeContainer(owner: Owner, input: PlanInput): ContainerChange {
  const place = owner.container;
  if (place === undefined) {
    const says = `Which container of ${owner.head.ref.kind}/${owner.head.ref.name} is the engine's can not be told, so nothing is changed.`;
    return { kind: 'refused', why: 'no-container', says, paste: null };
  }
  const memory = input.edits.filter(({ flag }) => flag === MEMORY);
  const flags = input.edits.filter(({ flag }) => flag !== MEMORY);
  const raised = memory[0] === undefined ? undefined : raiseMemory(owner, place.path, memory[0], input);
  if (raised !== undefined && raised.kind === 'refused') return raised;
  const edited = flags.length === 0 ? undefined : editFlags(owner, place, flags, input);
  if (edited !== undefined && edited.kind === 'refused') return edited;
  const parts = [raised, edited].filter((part) => part !== undefined);
  if (parts.length === 0)
    return { kind: 'refused', why: 'nothing-to-do', says: 'There is nothing to change.', paste: null };
  return {
    kind: 'change',
    change: joinChanges(parts.map(({ change }) => change)),
    edits: parts.flatMap(({ edits }) => edits),
  };
}

function editFlags(
  owner: Owner,
  place: NonNullable<Owner['container']>,
  edits: readonly Edit[],
  { engine }: PlanInput,
): ContainerChange {
  const outcome = editArguments({
    container: place.value,
    at: place.path,
    edits: edits.map(({ flag, to }) => ({ flag, to })),
    engine: engine.name,
    version: engine.version,
    mayAddArgs: owner.appendsArgs,
  });
  if (outcome.kind === 'refused') {
    const paste =
      outcome.paste === null
        ? null
        : outcome.paste.kind === 'text'
          ? outcome.paste.text
          : JSON.stringify(outcome.paste.patch);
    return { kind: 'refused', why: 'argument-editor', says: outcome.says, paste };
  }
  const { patch, inverse, changed } = outcome;
  // The object outranks the evidence: what stands there now is what the diff shows.
  const from = new Map(changed.map((one) => [one.flag, one.from]));
  return {
    kind: 'change',
    change: { patch, inverse },
    edits: edits.map((edit) => ({ ...edit, from: from.get(edit.flag) ?? null })),
  };
}

function raiseMemory(owner: Owner, container: string, edit: Edit, { limits }: PlanInput): ContainerChange {
  const path = `${container}/resources/limits/memory`;
  const now = valueAt(owner.object, path);
  const from = typeof now === 'string' ? parseQuantity(now) : undefined;
  const to = edit.to === null ? undefined : parseQuantity(edit.to);
  if (from === undefined || to === undefined || to <= from) {
    return {
      kind: 'refused',
      why: 'nothing-to-do',
      says: 'The memory limit of the container is not set, or not below what is wanted.',
      paste: null,
    };
  }
  if (limits.maxMemoryBytes !== null && to > limits.maxMemoryBytes) {
    const says = `${edit.to} is above the cap of ${formatBytes(limits.maxMemoryBytes)} that the configuration sets for this action.`;
    return { kind: 'refused', why: 'above-cap', says, paste: null };
  }
  return { kind: 'change', change: setField(owner.object, path, edit.to), edits: [{ ...edit, from: String(now) }] };
}
