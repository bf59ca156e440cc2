import { applyPatch, isSameJson } from '../../model/json-patch.ts';
import type { PatchOperation } from '../../model/plan.ts';
import { type Change, joinChanges, NO_CHANGE } from '../change.ts';
import { isAsIntended } from './command-pieces.ts';
import { createContext } from './edit-context.ts';
import type { ArgChange, ArgEdit, EditOutcome, Paste, RefusalReason } from './edit-outcome.ts';
import { type Dialect, dialectOf, findNegated, toKey } from './engine-flags.ts';
import { type Located, locate } from './locate-command.ts';
import { isOutranked, patchLists, patchTexts, patchVariables } from './patch-container.ts';
import { type FlagPlan, planFlag } from './plan-flag.ts';
import { type Container, findVariable, readContainer } from './read-container.ts';
import { isVariable, pasteWords, refuse } from './refusal.ts';
import { splice } from './splice-words.ts';

/** What is known around a container that its own JSON does not say. */
type EditOptions = {
  /** As the engine's reader names it: vllm, sglang, tgi, llama.cpp, lmdeploy, tensorrt-llm, triton, ollama, nim. */
  readonly engine: string;
  readonly version?: string | null;
  /** `engine`: the image's entrypoint is the engine itself, so that `args` alone are its arguments. */
  readonly entrypoint?: 'engine' | 'unknown';
  /** `args` may be added where there are none: an operator concatenates them behind its own, no CMD of the image is lost. */
  readonly mayAddArgs?: boolean;
  /** Texts of ConfigMaps that the container may read, by name and key. */
  readonly configMaps?: Readonly<Record<string, Readonly<Record<string, string>>>>;
};

export type EditInput = EditOptions & {
  /** A container as JSON: `command`, `args`, `env`. */
  readonly container: unknown;
  /** JSON pointer of the container in its object; the patch's paths begin with it. */
  readonly at: string;
  readonly edits: readonly ArgEdit[];
};

type Failure = { readonly reason: RefusalReason; readonly subject: string | null };
type Work = { readonly input: EditInput; readonly container: Container; readonly force: boolean };

/** Changes flags and variables of one container in place and nothing else; all of the edits or none. Never throws. */
export function editArguments(input: EditInput): EditOutcome {
  const container = readContainer(input.container);
  if (container === undefined) return refuse('malformed', null, null);
  const outcome = tryEdit({ input, container, force: false });
  if (!('reason' in outcome)) return { kind: 'edited', ...outcome };
  const { reason, subject } = outcome;
  const refusal = refuse(reason, subject, pasteFor(reason, { input, container, force: true }));
  const meant = reason === 'unknown-flag' && subject !== null && dialectOf(input.engine)?.nearest(subject);
  return meant ? { ...refusal, says: `${refusal.says} Did you mean ${meant}?` } : refusal;
}

type Built = {
  readonly patch: readonly PatchOperation[];
  readonly inverse: readonly PatchOperation[];
  readonly changed: readonly ArgChange[];
};

function tryEdit(work: Work): Built | Failure {
  const { input, container } = work;
  const dialect = dialectOf(input.engine);
  const fault = checkEdits(input.edits, dialect);
  if (fault !== undefined) return fault;
  const asVariable = (flag: string) => (dialect?.prefersVariables ? dialect.variableOf(flag) : undefined) ?? flag;
  const edits = input.edits.map(({ flag, to }) => ({ flag: asVariable(flag), to, asked: flag }));
  const words = edits.filter(({ flag }) => !isVariable(flag));
  const variables = edits.filter(({ flag }) => isVariable(flag));
  const idle = variables.find(({ flag, asked }) => flag !== asked && isOutranked(asked, container));
  if (idle !== undefined) return { reason: 'outranked', subject: idle.asked };
  if (words.length === 0 || dialect === undefined) return build(work, null, { planned: [], variables });
  const located = locate(container, input);
  if (located.kind === 'not-located') return { reason: located.why, subject: null };
  if (located.engine !== null && !isSameEngine(located.engine, input.engine)) {
    return { reason: 'engine-not-found', subject: null };
  }
  const context = createContext({ ...work, located, dialect });
  const planned: Planned[] = [];
  for (const edit of words) {
    const plan = planFlag(edit, context);
    if (typeof plan === 'string') return { reason: plan, subject: edit.flag };
    planned.push({ edit, plan });
    if (plan.variable !== null) variables.push({ ...plan.variable, asked: edit.flag });
  }
  if (isCrossed(variables, located, container)) return { reason: 'conflicting-edits', subject: null };
  return build(work, located, { planned, variables });
}

// A variable that is set twice, or as a whole and in its words.
function isCrossed(variables: readonly VariableEdit[], { texts }: Located, { env }: Container): boolean {
  const inWords = texts.map(({ holder }) => env?.[Number(/^\/env\/(\d+)/.exec(holder)?.[1])]?.name);
  const names = variables.map(({ flag }) => flag);
  return new Set(names).size < names.length || names.some((name) => inWords.includes(name));
}

// What serves an engine stands for it.
function isSameEngine(found: string, wanted: string): boolean {
  const family = (engine: string) => dialectOf(engine)?.serves ?? engine;
  return family(found) === family(wanted);
}

function checkEdits(edits: readonly ArgEdit[], dialect: Dialect | undefined): Failure | undefined {
  if (edits.length === 0) return { reason: 'nothing-to-change', subject: null };
  const keys = edits.map(({ flag }) => toKey((dialect?.find(flag) ?? findNegated(dialect, flag))?.name ?? flag));
  if (new Set(keys).size < keys.length) return { reason: 'conflicting-edits', subject: null };
  const odd = edits.find(({ flag, to }) => !isFlagName(flag) || !(to === null || isFit(flag, to)));
  if (odd !== undefined) return { reason: 'unfit-value', subject: odd.flag };
  const flag = edits.find((edit) => !isVariable(edit.flag))?.flag;
  return flag !== undefined && dialect === undefined ? { reason: 'unknown-engine', subject: flag } : undefined;
}

function isFlagName(flag: string): boolean {
  return isVariable(flag) || /^--?[A-Za-z][\w.-]*$/.test(flag);
}

// A dollar would be expanded by the kubelet or a shell; a leading dash reads as a flag, unless a number follows.
function isFit(flag: string, value: string): boolean {
  if (value === '' || /[$`\p{Cc}]/u.test(value)) return false;
  return isVariable(flag) || !value.startsWith('-') || /^-\d/.test(value);
}

type Planned = { readonly edit: ArgEdit; readonly plan: FlagPlan };
/** A variable to set, and the flag that was asked for. */
type VariableEdit = ArgEdit & { readonly asked: string };
type Parts = { readonly planned: readonly Planned[]; readonly variables: readonly VariableEdit[] };

function build(work: Work, located: Located | null, { planned, variables }: Parts): Built | Failure {
  const { input, container } = work;
  const failed = (reason: RefusalReason): Failure => ({ reason, subject: null });
  const json = input.container as Parameters<typeof patchLists>[2];
  const edits = {
    changes: planned.flatMap(({ plan }) => plan.changes),
    appended: planned.flatMap(({ plan }) => plan.appended),
  };
  const spliced = located === null ? null : splice(located, edits);
  if (spliced === undefined) return failed('odd-form');
  const lists = spliced === null ? NO_CHANGE : patchLists(container, spliced, json);
  if (typeof lists === 'string') return failed(lists);
  const texts = spliced === null ? NO_CHANGE : patchTexts(container, spliced);
  const env = patchVariables(container, variables, json);
  if (typeof env === 'string') return failed(env);
  const twoWay = testsFirst(joinChanges([lists, texts, env]));
  if (twoWay.patch.length === 0) return failed('nothing-to-change');
  const done = applyPatch(input.container, twoWay.patch);
  if (done.kind === 'failed') return failed('check-failed');
  const undone = applyPatch(done.value, twoWay.inverse);
  if (undone.kind === 'failed' || !isSameJson(undone.value, input.container)) return failed('check-failed');
  if (located !== null && !isChecked({ work, located, planned }, edits, done.value)) return failed('check-failed');
  const changed = [
    ...planned.flatMap((one) => changeOfFlag(one, located)),
    ...variables.flatMap((edit) => changeOfVariable(edit, container)),
  ];
  const place = (operations: readonly PatchOperation[]) =>
    operations.map((one) => ({ ...one, path: input.at + one.path }));
  return { patch: place(twoWay.patch), inverse: place(twoWay.inverse), changed };
}

// All tests are about what is there before the first write.
function testsFirst({ patch, inverse }: Change): Change {
  return { patch: [...patch.filter(({ op }) => op === 'test'), ...patch.filter(({ op }) => op !== 'test')], inverse };
}

type Before = { readonly work: Work; readonly located: Located; readonly planned: readonly Planned[] };

// Read again from the JSON, as if for the first time: the words are as intended, and the same edits find nothing to do.
function isChecked({ work, located, planned }: Before, edits: Parameters<typeof splice>[1], json: unknown): boolean {
  const { container, input } = work;
  const after = readContainer(json);
  const again = after === undefined ? undefined : locate(after, input);
  const dialect = dialectOf(input.engine);
  if (after === undefined || again?.kind !== 'located' || dialect === undefined) return false;
  const context = createContext({
    ...work,
    input: { ...input, container: json },
    container: after,
    located: again,
    dialect,
  });
  const isDone = planned.every(({ edit }) => {
    const plan = planFlag(edit, context);
    return typeof plan !== 'string' && plan.changes.length === 0 && plan.appended.length === 0;
  });
  return isDone && isAsIntended({ container, located }, edits, { container: after, located: again });
}

function changeOfFlag({ edit, plan }: Planned, located: Located | null): ArgChange[] {
  const isChanged = plan.changes.length > 0 || plan.appended.length > 0;
  if (!isChanged || located === null) return [];
  const at = plan.changes[0]?.at;
  const holder = at === undefined ? placeOf(located.insertion) : (located.words[at]?.holder ?? '');
  const isScript = located.texts.some((text) => text.holder === holder);
  const list = holder.split('/')[1] ?? '';
  return [
    { flag: edit.flag, from: plan.from, to: edit.to, where: isScript && list !== 'env' ? `script in ${list}` : list },
  ];
}

function placeOf(insertion: Located['insertion']): string {
  if (typeof insertion === 'string') return '';
  return insertion.kind === 'list' ? `/${insertion.list}` : insertion.holder;
}

function changeOfVariable({ flag, to, asked }: VariableEdit, { env }: Container): ArgChange[] {
  const from = findVariable(env, flag)?.value ?? null;
  return from === to ? [] : [{ flag: asked, from, to, where: asked === flag ? 'env' : `env ${flag}` }];
}

/** Reasons after which the same edit, appended where it wins, is right once a person has looked. */
const AFTER_A_LOOK: ReadonlySet<RefusalReason> = new Set([
  'computed-value',
  'flag-in-variable',
  'entrypoint-unknown',
  'abbreviated',
]);

// What is pasted with a flag that the engine does not know keeps it from starting.
const NOTHING_TO_PASTE: ReadonlySet<RefusalReason> = new Set([
  'nothing-to-change',
  'unfit-value',
  'conflicting-edits',
  'unknown-flag',
  'flag-not-in-version',
]);

function pasteFor(reason: RefusalReason, { input, container }: Work): Paste | null {
  const dialect = dialectOf(input.engine);
  if (NOTHING_TO_PASTE.has(reason)) return null;
  const mayForce = AFTER_A_LOOK.has(reason) && dialect?.lastWins === true;
  const forced = mayForce ? tryEdit({ input: { ...input, entrypoint: 'engine' }, container, force: true }) : undefined;
  if (forced !== undefined && !('reason' in forced)) return { kind: 'patch', patch: forced.patch };
  return pasteWords(input.edits, dialect?.joint ?? '=');
}
