import { fieldManager } from '../../../actions/run/field-manager.ts';
import { isSameValue } from '../../../actions/run/same-value.ts';
import { valueAt } from '../../../model/json-patch.ts';
import { REVERT_WATCH_MS, type WriteStep } from '../../../model/plan.ts';
import type { ActAnswer } from '../act-answers.ts';
import { deletedWords, mayGo, nameOf, remadeWords, valuesOf } from '../describe.ts';
import { ok, recordOf, stopWanted, type Work } from './act-work.ts';
import { readCurrentObject } from './read-current-object.ts';

// A controller reverts within seconds, a loop over Git within minutes.
const MARKS_MS = [10_000, 60_000, REVERT_WATCH_MS] as const;

/** What happened to our values: unchanged, reverted, or not readable. */
type Standing =
  | { readonly kind: 'stands' }
  | { readonly kind: 'reverted'; readonly says: string }
  | { readonly kind: 'could-not-tell'; readonly why: string };

/** Reads all that the run has written, and says who has changed it since. It never writes. */
export function lookForRevert(work: Work): Promise<Standing> {
  return lookAtObjects(work, writesOf(work, 'done'), { valuesWanted: ourValues, after: 'this run' });
}

/** The same for what a rollback has restored. */
export function lookForRevertedRollback(work: Work): Promise<Standing> {
  return lookAtObjects(work, writesOf(work, 'undone'), { valuesWanted: restoredValues, after: 'the rollback' });
}

type Look = {
  readonly valuesWanted: (steps: readonly WriteStep[]) => ReadonlyMap<string, unknown>;
  readonly after: string;
};

async function lookAtObjects(work: Work, writes: readonly WriteStep[], look: Look): Promise<Standing> {
  for (const [, steps] of groupByObject(writes)) {
    const standing = await lookAtObject(work, steps, look);
    if (standing.kind !== 'stands') return standing;
  }
  return { kind: 'stands' };
}

async function lookAtObject(work: Work, steps: readonly WriteStep[], look: Look): Promise<Standing> {
  const [first] = steps;
  if (first === undefined) return { kind: 'stands' };
  const read = await readCurrentObject(work, first.object);
  if (read.kind === 'unavailable') return { kind: 'could-not-tell', why: read.why };
  if (read.kind === 'forbidden') return { kind: 'could-not-tell', why: read.rule };
  const gone =
    read.kind === 'gone'
      ? `${nameOf(first.object)} was deleted`
      : (remadeWords(read.object, first.object) ?? deletedWords(read.object, first.object));
  if (gone !== undefined) return mayGo(first.object) ? { kind: 'stands' } : { kind: 'reverted', says: gone };
  return read.kind === 'found' ? lookAtValues(read.object, steps, { ...look, ref: first.object }) : { kind: 'stands' };
}

function lookAtValues(
  object: unknown,
  steps: readonly WriteStep[],
  { valuesWanted, after, ref }: Look & { readonly ref: WriteStep['object'] },
): Standing {
  for (const [path, value] of valuesWanted(steps)) {
    const found = valueAt(object, path);
    if (isSameValue(path, value, found) || isScaling(path, value, found)) continue;
    const who = fieldManager(object, path);
    const by = who === undefined ? 'by an unknown writer' : `by ${who}`;
    const what = valuesOf(path, value, found);
    return { kind: 'reverted', says: `${nameOf(ref)} was changed ${by} after ${after}: ${what}` };
  }
  return { kind: 'stands' };
}

// A count that moves above zero is an autoscaler at its work, and nobody takes our change back.
function isScaling(path: string, value: unknown, found: unknown): boolean {
  return path.endsWith('/replicas') && Number(value) > 0 && Number(found) > 0;
}

/** What our last write of each field has set: the inverse tests just that. */
function ourValues(steps: readonly WriteStep[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { inverse, patch } of steps) {
    for (const operation of patch) if (operation.op === 'remove') values.delete(operation.path);
    for (const operation of inverse) if (operation.op === 'test') values.set(operation.path, operation.value);
  }
  return values;
}

/** What the inverses have set, the last of them the first step. A field that they removed may have a default now. */
function restoredValues(steps: readonly WriteStep[]): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { inverse } of steps.toReversed()) {
    for (const operation of inverse) {
      if (operation.op === 'remove') values.delete(operation.path);
      else if (operation.op !== 'test') values.set(operation.path, operation.value);
    }
  }
  return values;
}

function groupByObject(steps: readonly WriteStep[]): ReadonlyMap<string, readonly WriteStep[]> {
  return Map.groupBy(steps, ({ object }) => object.uid);
}

function writesOf(work: Work, phase: 'done' | 'undone'): readonly WriteStep[] {
  return work.plan.steps.filter(
    (step): step is WriteStep =>
      step.kind === 'write' && step.subresource === 'none' && recordOf(work, step.n).phase === phase,
  );
}

/** How long until the next look that is due after the last write; null where none is. */
export function untilNextMark(work: Work): number | null {
  const last = lastWriteAt(work);
  if (last === null) return null;
  const now = work.deps.clock.now();
  const next = (work.deps.watchMs ?? MARKS_MS).map((ms) => last + ms).find((at) => at > now);
  return next === undefined ? null : next - now;
}

/** When the last write was made, epoch ms; null before the first. */
export function lastWriteAt(work: Work): number | null {
  const ends = writesOf(work, 'done').map(({ n }) => recordOf(work, n).endedAt ?? 0);
  return ends.length === 0 ? null : Math.max(...ends);
}

// Whoever aborts now is not to wait for the next mark.
const LOOK_EVERY_MS = 10_000;

/** After the last step: looks on until five minutes have passed since the last write. */
export async function watchForRevert(work: Work): Promise<ActAnswer> {
  const stop = stopWanted(work);
  if (stop !== undefined) return stop;
  const standing = await lookForRevert(work);
  if (standing.kind === 'reverted') return { kind: 'stop', why: 'reverted', says: standing.says };
  const inMs = untilNextMark(work);
  if (inMs !== null) return { kind: 'wait', inMs: Math.min(inMs, LOOK_EVERY_MS), says: 'watching for a revert' };
  return ok(standing.kind === 'stands' ? 'not reverted' : `no data on a revert: ${standing.why}`);
}
