import { isHelperName, programOf, type Runs, runsByName } from '../engine/program-names.ts';
import type { ContainerView } from './container-states.ts';
import { asksForGpu, namesEngine } from './engine-container.ts';

/** What may be the status of the pod that is looked at: a description, or a row of a table. */
export type Candidate<T> = {
  readonly name: string | undefined;
  /** Whether the engine runs in it, by what is said about it. */
  readonly runs: Runs;
  /** 2: it ended; 1: it waits; 0: it is well. */
  readonly end: 0 | 1 | 2;
  /** How it ended, in one word for those that ended alike. */
  readonly how: string;
  readonly status: T;
};

export type Choice<T> =
  | { readonly kind: 'one'; readonly own: T }
  /** Replicas that tell the same: which of them it is makes no difference to how it ended. */
  | { readonly kind: 'alike'; readonly among: readonly T[] }
  | { readonly kind: 'unsure'; readonly among: readonly T[] }
  | { readonly kind: 'none' };

/**
 * The one place that tells whose status it is: that of the name that is known; else of those that run an engine, or of which
 * it cannot be told, those that ended. One that is well is no rival: what is looked at is an end. Of several that differ
 * nothing tells which, and the worst is as likely another's.
 */
export function chooseStatus<T>(candidates: readonly Candidate<T>[], own: string | undefined): Choice<T> {
  // A Deployment is called as its pods are, without their last parts.
  const isNamed = ({ name }: Candidate<T>) => name !== undefined && (own === name || own?.startsWith(`${name}-`));
  if (own !== undefined && candidates.some(({ name }) => name !== undefined))
    return choiceOf(candidates.filter(isNamed));
  const possible = candidates.filter(({ runs }) => runs !== 'other');
  const engines = possible.filter(({ runs }) => runs === 'engine');
  const pool = engines.length > 0 ? engines : possible;
  const most = Math.max(...pool.map(({ end }) => end));
  return choiceOf(pool.filter(({ end }) => end === most));
}

function choiceOf<T>(pool: readonly Candidate<T>[]): Choice<T> {
  const [first, ...more] = pool;
  if (first === undefined) return { kind: 'none' };
  if (more.length === 0) return { kind: 'one', own: first.status };
  const kind = more.every(({ how }) => how === first.how) ? 'alike' : 'unsure';
  return { kind, among: pool.map(({ status }) => status) };
}

/** By the containers; by the name of the pod where they tell nothing. */
export function runsIn(containers: readonly ContainerView[], name: string | undefined): Runs {
  const main = containers.filter(({ kind }) => kind === 'container');
  if (main.some((container) => asksForGpu(container) || namesEngine(container))) return 'engine';
  const isOther = main.length > 0 && main.every((container) => isHelperName(imageOf(container)));
  if (isOther) return 'other';
  return name === undefined ? 'unknown' : runsByName(name);
}

function imageOf({ image, name }: ContainerView): string {
  return programOf(image?.value ?? name?.value ?? '');
}
