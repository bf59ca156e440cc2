import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { findKind, nameOf, type ObjectHead } from './read-object.ts';

const TRACKING = 'argocd.argoproj.io/tracking-id';
const ARGO_LABELS = ['argocd.argoproj.io/instance', 'app.kubernetes.io/instance'] as const;
const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io';
const HELM_RELEASE = 'helm.toolkit.fluxcd.io';

/** Argo CD, Flux and Helm, by the marks that they leave. What may not be read is taken as what puts changes back. */
export function findGitOps(head: ObjectHead, beside: readonly unknown[]): readonly Hazard[] {
  return [...argo(head, beside), ...kustomize(head, beside), ...fluxHelm(head, beside), ...helm(head)];
}

function argo(head: ObjectHead, beside: readonly unknown[]): Hazard[] {
  const app = argoApp(head, beside);
  if (app === undefined) return [];
  const where = `${nameOf(head.ref)} (application ${app.name})`;
  const application = findKind(beside, 'Application').find(({ ref }) => ref.name === app.name.split('_').at(-1));
  const heal =
    application === undefined ? undefined : valueAt(application.object, '/spec/syncPolicy/automated/selfHeal');
  if (application !== undefined && heal !== true) {
    const says = `Argo CD keeps ${where} without self-heal: it shows OutOfSync until the change is in Git, and the next commit undoes it.`;
    return [{ id: 'argo-cd', says, done: 'the diff is given, to be put into Git', blocks: false }];
  }
  const known = application === undefined ? 'Argo CD keeps' : 'Argo CD heals';
  const how =
    application === undefined
      ? 'whether it heals itself could not be read, so it is taken as yes'
      : 'a change is undone within seconds';
  const says = `${known} ${where}: ${how}. Put the diff into Git, or first: argocd app set ${app.name.replace('_', '/')} --self-heal=false`;
  return [{ id: 'argo-cd', says, done: null, blocks: true }];
}

// The label of an instance is Helm's as well: alone it counts only where an application of that name was read.
function argoApp({ annotations, labels }: ObjectHead, beside: readonly unknown[]): { name: string } | undefined {
  const tracked = annotations[TRACKING]?.split(':')[0];
  if (tracked !== undefined && tracked !== '') return { name: tracked };
  const own = labels[ARGO_LABELS[0]];
  if (own !== undefined) return { name: own };
  const instance = labels[ARGO_LABELS[1]];
  const isRead = findKind(beside, 'Application').some(({ ref }) => ref.name === instance);
  return instance !== undefined && isRead ? { name: instance } : undefined;
}

function kustomize({ annotations, labels, ref }: ObjectHead, beside: readonly unknown[]): Hazard[] {
  const name = labels[`${KUSTOMIZE}/name`];
  if (name === undefined) return [];
  const namespace = labels[`${KUSTOMIZE}/namespace`] ?? ref.namespace;
  const owner = findKind(beside, 'Kustomization').find(
    (one) => one.ref.name === name && one.ref.namespace === namespace,
  );
  const isSuspended = valueAt(owner?.object, '/spec/suspend') === true;
  const isLeft = annotations[`${KUSTOMIZE}/reconcile`] === 'disabled';
  const isIgnored = ['Ignore', 'IfNotPresent'].includes(annotations[`${KUSTOMIZE}/ssa`] ?? '');
  if (isSuspended || isLeft || isIgnored) {
    const says = `Flux does not put ${nameOf(ref)} back at present: put the change into Git before that ends.`;
    return [{ id: 'flux', says, done: 'the diff is given, to be put into Git', blocks: false }];
  }
  const says = `Flux puts ${nameOf(ref)} back at its next interval. Put the diff into Git, or first: flux suspend kustomization ${name} -n ${namespace} (and, once it is in Git: flux resume kustomization ${name} -n ${namespace})`;
  return [{ id: 'flux', says, done: null, blocks: true }];
}

function fluxHelm({ labels, ref }: ObjectHead, beside: readonly unknown[]): Hazard[] {
  const name = labels[`${HELM_RELEASE}/name`];
  if (name === undefined) return [];
  const namespace = labels[`${HELM_RELEASE}/namespace`] ?? ref.namespace;
  const release = findKind(beside, 'HelmRelease').find(
    (one) => one.ref.name === name && one.ref.namespace === namespace,
  );
  const drifts = valueAt(release?.object, '/spec/driftDetection/mode');
  const isLeft = valueAt(release?.object, '/spec/suspend') === true || (release !== undefined && drifts !== 'enabled');
  if (isLeft) {
    const says = `Flux's HelmRelease ${name} leaves a change of ${nameOf(ref)} until its next upgrade: put it into the values before.`;
    return [{ id: 'flux-helm', says, done: 'the diff is given, to be put into the values', blocks: false }];
  }
  const why =
    release === undefined
      ? 'could not be read, so it is taken to put changes back'
      : 'detects drift and puts changes back';
  const says = `Flux's HelmRelease ${name} ${why}. Put the change into its values, or first: flux suspend helmrelease ${name} -n ${namespace} (and, once it is in the values: flux resume helmrelease ${name} -n ${namespace})`;
  return [{ id: 'flux-helm', says, done: null, blocks: true }];
}

function helm({ annotations, labels }: ObjectHead): Hazard[] {
  if (labels[`${HELM_RELEASE}/name`] !== undefined) return [];
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined && labels['app.kubernetes.io/managed-by'] !== 'Helm') return [];
  const says = `Helm release ${release ?? '(unnamed)'} made this: the change lives beside its values, and an upgrade with Helm 4 will conflict with it.`;
  return [{ id: 'helm', says, done: 'the diff is given, to be put into the values', blocks: false }];
}
