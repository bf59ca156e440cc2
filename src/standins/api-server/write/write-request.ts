import type { Caller } from '../objects/access.ts';
import type { ApiPath } from '../objects/resources.ts';
import type { Answer } from '../objects/status.ts';
import type { KubeObject } from '../objects/world.ts';
import type { Storage } from './storage.ts';

/** A write that is allowed, as it reaches the storage. */
export type WriteRequest = {
  readonly path: ApiPath;
  readonly query: Readonly<Record<string, string>>;
  readonly contentType: string;
  readonly body: unknown;
  /** The body is the whole object (PUT). */
  readonly replaces: boolean;
  /** The first word of the User-Agent: the manager where none is named. */
  readonly agent: string;
  readonly caller: Caller;
};

/** What looks at an object before it is kept, as a webhook does: a refusal, or undefined where all is well. */
export type Admission = (object: KubeObject, request: WriteRequest) => Answer | undefined;

export type WriteContext = { readonly storage: Storage; readonly admission: readonly Admission[] };

export type WriteAnswer = {
  readonly answer: Answer;
  readonly outcome: 'applied' | 'unchanged' | 'dry-run' | 'refused';
};

/** An object after a patch. */
export type Patched =
  | { readonly kind: 'patched'; readonly value: unknown }
  | { readonly kind: 'refused'; readonly answer: Answer };

export function refused(answer: Answer): WriteAnswer {
  return { answer, outcome: 'refused' };
}

export function isDryRun({ query }: WriteRequest): boolean {
  return query.dryRun === 'All';
}

export function managerOf({ query, agent }: WriteRequest): string {
  return query.fieldManager ?? (agent.split('/')[0] || 'unknown');
}
