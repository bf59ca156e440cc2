import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { type Autoscaling, findAutoscaling } from './find-autoscaling.ts';
import { findGitOps } from './find-git-ops.ts';
import { note, obstacle } from './hazard.ts';
import { mergeCommand } from './kubectl.ts';
import { findKind, nameOf, type ObjectHead } from './read-object.ts';

/** Who else changes the workload, what is done about it, and what scales it. */
export type Managers = Autoscaling & { readonly hazards: readonly Hazard[] };

/** Looks at the marks on the owner, and at the objects read around it. Unknown counts as the worse case. Never throws. */
export function findManagers(head: ObjectHead, surroundings: readonly unknown[], container?: string | null): Managers {
  const scaling = findAutoscaling(head.ref, surroundings);
  const hazards = [
    ...controller(head),
    ...findGitOps(head, surroundings),
    ...findVpa(head, surroundings, container),
    ...scaling.hazards,
  ];
  return { ...scaling, hazards };
}

function controller({ controller: above, labels, ref }: ObjectHead): Hazard[] {
  if (above !== undefined) {
    const says = `The operator of ${nameOf(above)} manages ${nameOf(ref)} and would revert this change. Change ${nameOf(above)} instead.`;
    return [obstacle('operator', says)];
  }
  const by = labels['app.kubernetes.io/managed-by'];
  if (by === undefined || by === 'Helm') return [];
  const says = `${nameOf(ref)} is managed by ${by} (label), which may revert this change.`;
  return [note('managed-by', says)];
}

export const VPA = 'vpa';

// Of all modes only Off leaves a new pod its limits.
function findVpa({ ref }: ObjectHead, surroundings: readonly unknown[], container?: string | null): Hazard[] {
  const found = findKind(surroundings, 'VerticalPodAutoscaler').find(({ object }) => {
    const at = (key: string): unknown => valueAt(object, `/spec/targetRef/${key}`);
    return at('name') === ref.name && at('kind') === ref.kind;
  });
  if (found === undefined || valueAt(found.object, '/spec/updatePolicy/updateMode') === 'Off') return [];
  if (leavesLimit(found.object, container)) return [];
  const says = `VPA ${found.ref.name} overwrites the memory limit of new pods: they do not get the one set here.`;
  const off = mergeCommand(found.ref, { spec: { updatePolicy: { updateMode: 'Off' } } });
  return [note(VPA, `${says} Turn it off first: ${off}`)];
}

// A policy may leave a container out, or its memory, or set the request alone.
function leavesLimit(vpa: unknown, container: string | null | undefined): boolean {
  const listed = valueAt(vpa, '/spec/resourcePolicy/containerPolicies');
  const policies: readonly unknown[] = Array.isArray(listed) ? listed : [];
  const named = (name: string) => policies.find((one) => valueAt(one, '/containerName') === name);
  const policy = (container == null ? undefined : named(container)) ?? named('*');
  const resources = valueAt(policy, '/controlledResources');
  return (
    valueAt(policy, '/mode') === 'Off' ||
    valueAt(policy, '/controlledValues') === 'RequestsOnly' ||
    (Array.isArray(resources) && !resources.includes('memory'))
  );
}
