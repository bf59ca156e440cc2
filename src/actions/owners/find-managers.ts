import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { type LiveRef, nameOf, type ObjectHead, readHead } from './read-object.ts';

/** Who else writes the workload, and what that means for a change. */
export type Managers = {
  readonly hazards: readonly Hazard[];
  /** ScaledObjects: they hold the count, so it is theirs that is set. */
  readonly keda: readonly { readonly ref: LiveRef; readonly object: unknown }[];
  /** A HorizontalPodAutoscaler moves the count as soon as it is above zero. */
  readonly hpa: boolean;
};

/** Looks at the marks on the owner and at the objects read around it. Unknown is taken as the worse. */
export function findManagers(head: ObjectHead, beside: readonly unknown[]): Managers {
  const keda = beside.flatMap((object) => {
    const found = readHead(object);
    return found?.ref.kind === 'ScaledObject' && isAimedAt(object, head.ref) ? [{ ref: found.ref, object }] : [];
  });
  const hazards = [
    ...gitOps(head, beside),
    ...helm(head),
    ...autoscalers(head, beside, keda.length > 0),
    ...vpa(head, beside),
  ];
  return { hazards, keda, hpa: hazards.some(({ id }) => id === 'hpa') };
}

function isAimedAt(object: unknown, { kind, name }: LiveRef): boolean {
  // KEDA takes a Deployment where no kind is given.
  const at = (key: string): unknown => valueAt(object, `/spec/scaleTargetRef/${key}`);
  return at('name') === name && (at('kind') ?? 'Deployment') === kind;
}

const TRACKING = 'argocd.argoproj.io/tracking-id';
const INSTANCE = 'app.kubernetes.io/instance';
const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io';

function gitOps(head: ObjectHead, beside: readonly unknown[]): Hazard[] {
  return [...argo(head, beside), ...flux(head)];
}

function argo({ annotations, labels, ref }: ObjectHead, beside: readonly unknown[]): Hazard[] {
  const tracked = annotations[TRACKING]?.split(':')[0];
  const application = beside.find((one) => readHead(one)?.ref.kind === 'Application');
  const app = tracked ?? (application === undefined ? undefined : labels[INSTANCE]);
  if (app === undefined) return [];
  if (application === undefined) {
    return [
      {
        id: 'argo-cd',
        says: `Argo CD keeps ${nameOf(ref)} (application ${app}); whether it heals itself could not be read, so it is taken as yes.`,
        done: null,
        blocks: true,
      },
    ];
  }
  const heals = valueAt(application, '/spec/syncPolicy/automated/selfHeal') === true;
  const says = heals
    ? `Argo CD heals ${nameOf(ref)} (application ${app}) within seconds: a change here would be undone. Change it in Git, or turn self-heal off.`
    : `Argo CD (application ${app}) will show OutOfSync until the change is in Git.`;
  return [{ id: 'argo-cd', says, done: null, blocks: heals }];
}

function flux({ annotations, labels, ref }: ObjectHead): Hazard[] {
  const name = labels[`${KUSTOMIZE}/name`];
  if (name === undefined) return [];
  const paused = annotations[`${KUSTOMIZE}/reconcile`] === 'disabled';
  const where = labels[`${KUSTOMIZE}/namespace`] ?? ref.namespace;
  const says = paused
    ? `Flux does not reconcile ${nameOf(ref)} (its annotation says so): put the change into Git before that is taken off.`
    : `Flux puts ${nameOf(ref)} back at its next interval. Suspend it first: flux suspend kustomization ${name} -n ${where}`;
  return [{ id: 'flux', says, done: null, blocks: !paused }];
}

function helm({ annotations, labels }: ObjectHead): Hazard[] {
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined && labels['app.kubernetes.io/managed-by'] !== 'Helm') return [];
  const says = `Helm release ${release ?? '(unnamed)'}: the change lives beside its values; put it there too, the next upgrade may refuse or undo it.`;
  return [{ id: 'helm', says, done: null, blocks: false }];
}

function autoscalers({ ref }: ObjectHead, beside: readonly unknown[], keda: boolean): Hazard[] {
  const hpas = beside.filter((one) => {
    const kind = readHead(one)?.ref.kind;
    return kind === 'HorizontalPodAutoscaler' && isAimedAt(one, ref);
  });
  const scaled: Hazard[] = keda
    ? [
        {
          id: 'keda',
          says: 'KEDA scales this workload and would put its count back.',
          done: 'the count is set through its ScaledObject, which is let go at the end',
          blocks: false,
        },
      ]
    : [];
  // The HPA of a ScaledObject is KEDA's own.
  if (keda) return scaled;
  return hpas.map((hpa) => ({
    id: 'hpa',
    says: `A HorizontalPodAutoscaler holds this workload between ${valueAt(hpa, '/spec/minReplicas') ?? 1} and ${valueAt(hpa, '/spec/maxReplicas') ?? '?'} replicas.`,
    done: 'at zero it rests; above zero it clamps the count again',
    blocks: false,
  }));
}

function vpa({ ref }: ObjectHead, beside: readonly unknown[]): Hazard[] {
  const found = beside.some((one) => {
    const head = readHead(one)?.ref;
    const at = (key: string): unknown => valueAt(one, `/spec/targetRef/${key}`);
    return head?.kind === 'VerticalPodAutoscaler' && at('name') === ref.name && at('kind') === ref.kind;
  });
  const says =
    'A VerticalPodAutoscaler rewrites the limits of the pods when they are made: a limit set here may not be what they get.';
  return found ? [{ id: 'vpa', says, done: null, blocks: false }] : [];
}
