import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { note, obstacle } from './hazard.ts';
import { findKind, nameOf, type ObjectHead } from './read-object.ts';

const TRACKING = 'argocd.argoproj.io/tracking-id';
const ARGO_LABELS = ['argocd.argoproj.io/instance', 'app.kubernetes.io/instance'] as const;
const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io';
const HELM_RELEASE = 'helm.toolkit.fluxcd.io';

const TO_GIT = 'the diff is given, to be put into Git';
const TO_VALUES = 'the diff is given, to be put into the values';

/** Argo CD, Flux and Helm, by the marks that they leave. What may not be read is taken as what puts changes back. */
export function findGitOps(head: ObjectHead, surroundings: readonly unknown[]): readonly Hazard[] {
  return [
    ...argo(head, surroundings),
    ...kustomize(head, surroundings),
    ...fluxHelm(head, surroundings),
    ...helm(head),
  ];
}

function argo(head: ObjectHead, surroundings: readonly unknown[]): Hazard[] {
  const app = argoApp(head, surroundings);
  if (app === undefined) return [];
  const where = `${nameOf(head.ref)} (application ${app})`;
  const application = findKind(surroundings, 'Application').find(({ ref }) => ref.name === app.split('_').at(-1));
  if (application !== undefined && valueAt(application.object, '/spec/syncPolicy/automated/selfHeal') !== true) {
    const says = `Argo CD keeps ${where} without self-heal: it shows OutOfSync until the change is in Git, and the next commit undoes it.`;
    return [note('argo-cd', says, TO_GIT)];
  }
  const known =
    application === undefined
      ? `Argo CD keeps ${where}: whether it heals itself could not be read, so it is taken as yes`
      : `Argo CD heals ${where}: a change is undone within seconds`;
  const how = `argocd app set ${app.replace('_', '/')} --self-heal=false`;
  return [obstacle('argo-cd', `${known}. Put the diff into Git, or first: ${how}`)];
}

// The label of an instance is Helm's as well: alone it counts only where an application of that name was read.
function argoApp({ annotations, labels }: ObjectHead, surroundings: readonly unknown[]): string | undefined {
  const tracked = annotations[TRACKING]?.split(':')[0];
  if (tracked !== undefined && tracked !== '') return tracked;
  const instance = labels[ARGO_LABELS[1]];
  const isRead = findKind(surroundings, 'Application').some(({ ref }) => ref.name === instance);
  return labels[ARGO_LABELS[0]] ?? (isRead ? instance : undefined);
}

type FluxOwner = { readonly name: string; readonly namespace: string; readonly object: unknown };

/** What of Flux the labels name; its object is undefined where it was not read. */
function fluxOwner(group: string, kind: string, { labels, ref }: ObjectHead, surroundings: readonly unknown[]) {
  const name = labels[`${group}/name`];
  const namespace = labels[`${group}/namespace`] ?? ref.namespace;
  const found = findKind(surroundings, kind).find((one) => one.ref.name === name && one.ref.namespace === namespace);
  return name === undefined ? undefined : { name, namespace, object: found?.object };
}

function suspend(kind: string, { name, namespace }: FluxOwner, where: string): string {
  const rest = `${kind} ${name} -n ${namespace}`;
  return `flux suspend ${rest} (and, once it is in ${where}: flux resume ${rest})`;
}

function kustomize(head: ObjectHead, surroundings: readonly unknown[]): Hazard[] {
  const owner = fluxOwner(KUSTOMIZE, 'Kustomization', head, surroundings);
  if (owner === undefined) return [];
  const { annotations, ref } = head;
  const isSuspended = valueAt(owner.object, '/spec/suspend') === true;
  const isLeft = annotations[`${KUSTOMIZE}/reconcile`] === 'disabled';
  const isIgnored = ['Ignore', 'IfNotPresent'].includes(annotations[`${KUSTOMIZE}/ssa`] ?? '');
  if (isSuspended || isLeft || isIgnored) {
    const says = `Flux does not put ${nameOf(ref)} back at present: put the change into Git before that ends.`;
    return [note('flux', says, TO_GIT)];
  }
  const says = `Flux puts ${nameOf(ref)} back at its next interval. Put the diff into Git, or first: ${suspend('kustomization', owner, 'Git')}`;
  return [obstacle('flux', says)];
}

function fluxHelm(head: ObjectHead, surroundings: readonly unknown[]): Hazard[] {
  const owner = fluxOwner(HELM_RELEASE, 'HelmRelease', head, surroundings);
  if (owner === undefined) return [];
  const { name, object } = owner;
  const drifts = valueAt(object, '/spec/driftDetection/mode');
  if (valueAt(object, '/spec/suspend') === true || (object !== undefined && drifts !== 'enabled')) {
    const says = `Flux's HelmRelease ${name} leaves a change of ${nameOf(head.ref)} until its next upgrade: put it into the values before.`;
    return [note('flux-helm', says, TO_VALUES)];
  }
  const why =
    object === undefined
      ? 'could not be read, so it is taken to put changes back'
      : 'detects drift and puts changes back';
  const says = `Flux's HelmRelease ${name} ${why}. Put the change into its values, or first: ${suspend('helmrelease', owner, 'the values')}`;
  return [obstacle('flux-helm', says)];
}

function helm({ annotations, labels }: ObjectHead): Hazard[] {
  if (labels[`${HELM_RELEASE}/name`] !== undefined) return [];
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined && labels['app.kubernetes.io/managed-by'] !== 'Helm') return [];
  const says = `Helm release ${release ?? '(unnamed)'} made this: the change lives beside its values, and an upgrade with Helm 4 will conflict with it.`;
  return [note('helm', says, TO_VALUES)];
}
