import { z } from 'zod';
import type { ObjectRef } from '../../model/plan.ts';

export type LiveRef = ObjectRef & { readonly uid: string };

/** An object as it was read, and which one it is. */
export type Place = { readonly ref: LiveRef; readonly object: unknown };

const Reference = z.looseObject({ kind: z.string(), name: z.string(), controller: z.boolean().optional() });

const Meta = z.looseObject({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.looseObject({
    name: z.string(),
    namespace: z.string(),
    uid: z.string(),
    annotations: z.record(z.string(), z.string()).nullish(),
    labels: z.record(z.string(), z.string()).nullish(),
    ownerReferences: z.array(Reference).nullish().catch(undefined),
  }),
});

/** Name, marks and identity of an object. */
export type ObjectHead = {
  readonly ref: LiveRef;
  readonly annotations: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** What controls it and may revert a change. */
  readonly controller: { readonly kind: string; readonly name: string } | undefined;
};

/** Undefined for what is no namespaced object of a cluster. */
export function readHead(object: unknown): ObjectHead | undefined {
  const parsed = Meta.safeParse(object);
  if (!parsed.success) return undefined;
  const { apiVersion, kind, metadata } = parsed.data;
  const { name, namespace, uid } = metadata;
  return {
    ref: { apiVersion, kind, namespace, name, uid },
    annotations: metadata.annotations ?? {},
    labels: metadata.labels ?? {},
    controller: metadata.ownerReferences?.find(({ controller }) => controller === true),
  };
}

/** The objects of a kind, with their heads. */
export function findKind(
  objects: readonly unknown[],
  kind: string,
): readonly (Place & { readonly head: ObjectHead })[] {
  return objects.flatMap((object) => {
    const head = readHead(object);
    return head?.ref.kind === kind ? [{ head, ref: head.ref, object }] : [];
  });
}

/** The API group of an object: `apps`; empty for the core. */
export function groupOf({ apiVersion }: Pick<ObjectRef, 'apiVersion'>): string {
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}

/** For people: `Deployment/vllm`. */
export function nameOf({ kind, name }: Pick<ObjectRef, 'kind' | 'name'>): string {
  return `${kind}/${name}`;
}
