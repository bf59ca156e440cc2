import { z } from 'zod';
import { applyPatch } from '../../model/json-patch.ts';
import { ContainerSpec } from '../../model/kubernetes.ts';
import type { PatchOperation } from '../../model/plan.ts';
import { permanentPatch } from '../ledger/permanent-patch.ts';
import type { WrittenValue } from '../ledger/written-values.ts';
import type { ContainerPlace, Owner } from '../owners/owner.ts';
import { ownerAdapter } from '../owners/owner-adapter.ts';
import { findContainer } from '../owners/pod-template.ts';
import { type LiveRef, nameOf } from '../owners/read-object.ts';

/** What a permanent patch is for: the workload as the evidence has it, or only its pod. */
export type Manifest =
  | {
      readonly kind: 'manifest';
      readonly ref: LiveRef;
      readonly object: unknown;
      /** JSON pointer of the pod spec; undefined where the kind has none of its own. */
      readonly podSpec: string | undefined;
      readonly container: ContainerPlace;
      /** Undefined where the evidence has the pod alone. */
      readonly owner: Owner | undefined;
    }
  | { readonly kind: 'none'; readonly says: string };

const PodObject = z.looseObject({
  metadata: z.looseObject({ name: z.string(), namespace: z.string().optional(), uid: z.string().optional() }),
  spec: z.looseObject({ containers: z.array(ContainerSpec).min(1) }),
});

/** The top owner with its pod template, else the pod. `owners` go from the pod's controller upward. */
export function findManifest(evidence: {
  readonly owners: readonly unknown[];
  readonly pod: unknown;
  readonly container: string | null;
}): Manifest {
  const { owners, container } = evidence;
  const top = owners.at(-1);
  if (top === undefined) return podManifest(evidence);
  const owner = ownerAdapter(top, { container });
  if (owner.kind === 'paste') return { kind: 'none', says: owner.says };
  const [place] = owner.containers;
  if (owner.args.kind !== 'container' || place === undefined) {
    return { kind: 'none', says: `${nameOf(owner.head.ref)} has no pod template with the engine's container.` };
  }
  const { ref, object } = place;
  return { kind: 'manifest', ref, object, podSpec: podSpecOf(place), container: place, owner };
}

function podManifest({ pod, container }: Parameters<typeof findManifest>[0]): Manifest {
  const parsed = PodObject.safeParse(pod).data;
  if (parsed === undefined) return { kind: 'none', says: 'The evidence has neither the workload nor its pod.' };
  const { name, namespace = 'default', uid = name } = parsed.metadata;
  const ref: LiveRef = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
  const place = findContainer({ ref, object: pod }, '/spec', container);
  if (place === undefined) return { kind: 'none', says: 'Which container runs the engine is unknown.' };
  return { kind: 'manifest', ref, object: pod, podSpec: podSpecOf(place), container: place, owner: undefined };
}

function podSpecOf({ path }: ContainerPlace): string | undefined {
  return /^(.*)\/containers\/\d+$/.exec(path)?.[1];
}

const MASK = /\[redacted:|\(hidden\)/;

/** A JSON Patch of the manifest as a strategic merge patch (YAML); undefined where it cannot be written, or would hold what was redacted. */
export function mergePatch(
  { ref, object }: Extract<Manifest, { kind: 'manifest' }>,
  patch: readonly PatchOperation[],
): string | undefined {
  const values = patch.flatMap((operation): WrittenValue[] => {
    if (operation.op === 'test') return [];
    const to = operation.op === 'remove' ? undefined : operation.value;
    return [{ object: ref, subresource: 'none', path: operation.path, from: undefined, to }];
  });
  if (values.length === 0 || applyPatch(object, patch).kind !== 'applied') return undefined;
  const yaml = permanentPatch(values, new Map([[ref.uid, object]]), { steps: [] });
  return yaml === undefined || MASK.test(yaml) ? undefined : yaml;
}
