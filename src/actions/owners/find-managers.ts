import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { type Autoscaling, findAutoscaling } from './find-autoscaling.ts';
import { findGitOps } from './find-git-ops.ts';
import { note, obstacle } from './hazard.ts';
import { nameOf, type ObjectHead, readHead } from './read-object.ts';

/** Who else changes the workload, what is done about it, and what scales it. */
export type Managers = Autoscaling & { readonly hazards: readonly Hazard[] };

/** Looks at the marks on the owner, and at the objects read around it. Unknown counts as the worse case. Never throws. */
export function findManagers(head: ObjectHead, surroundings: readonly unknown[]): Managers {
  const scaling = findAutoscaling(head.ref, surroundings);
  const hazards = [
    ...controller(head),
    ...findGitOps(head, surroundings),
    ...scaling.hazards,
    ...findVpa(head, surroundings),
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

function findVpa({ ref }: ObjectHead, surroundings: readonly unknown[]): Hazard[] {
  const found = surroundings.find((one) => {
    const at = (key: string): unknown => valueAt(one, `/spec/targetRef/${key}`);
    return readHead(one)?.ref.kind === 'VerticalPodAutoscaler' && at('name') === ref.name && at('kind') === ref.kind;
  });
  const mode = valueAt(found, '/spec/updatePolicy/updateMode') ?? 'Auto';
  if (found === undefined || mode === 'Off') return [];
  const says = `A VerticalPodAutoscaler (mode ${mode}) overrides pod limits at creation: pods will not get the limit set here.`;
  return [note('vpa', says)];
}
