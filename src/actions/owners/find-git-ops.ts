import { valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { note, obstacle } from './hazard.ts';
import { findKind, nameOf, type ObjectHead } from './read-object.ts';

const TRACKING = 'argocd.argoproj.io/tracking-id';
const ARGO_LABELS = ['argocd.argoproj.io/instance', 'app.kubernetes.io/instance'] as const;
const KUSTOMIZE = 'kustomize.toolkit.fluxcd.io';
const HELM_RELEASE = 'helm.toolkit.fluxcd.io';

const TO_GIT = 'the plan has the diff for Git';
const TO_VALUES = 'the plan has the diff for the values';

/** Argo CD, Flux and Helm, by the marks that they leave. What may not be read is assumed to revert changes. */
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
    const says = `Argo CD manages ${where} without self-heal: it shows OutOfSync until the change is in Git, and the next sync reverts it.`;
    return [note('argo-cd', says, TO_GIT)];
  }
  const known =
    application === undefined
      ? `Argo CD manages ${where} and may revert this change: its selfHeal setting was not read`
      : `Argo CD self-heals ${where} and would revert this change within seconds`;
  const how = `argocd app set ${app.replace('_', '/')} --self-heal=false`;
  return [obstacle('argo-cd', `${known}. Commit the diff to Git, or first run: ${how}`)];
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

/** The Flux object that the labels name; undefined if it was not read. */
function fluxOwner(group: string, kind: string, { labels, ref }: ObjectHead, surroundings: readonly unknown[]) {
  const name = labels[`${group}/name`];
  const namespace = labels[`${group}/namespace`] ?? ref.namespace;
  const found = findKind(surroundings, kind).find((one) => one.ref.name === name && one.ref.namespace === namespace);
  return name === undefined ? undefined : { name, namespace, object: found?.object };
}

function suspend(kind: string, { name, namespace }: FluxOwner, where: string): string {
  const rest = `${kind} ${name} -n ${namespace}`;
  return `flux suspend ${rest} (once it is in ${where}: flux resume ${rest})`;
}

function kustomize(head: ObjectHead, surroundings: readonly unknown[]): Hazard[] {
  const owner = fluxOwner(KUSTOMIZE, 'Kustomization', head, surroundings);
  if (owner === undefined) return [];
  const { annotations, ref } = head;
  const isSuspended = valueAt(owner.object, '/spec/suspend') === true;
  const isLeft = annotations[`${KUSTOMIZE}/reconcile`] === 'disabled';
  const isIgnored = ['Ignore', 'IfNotPresent'].includes(annotations[`${KUSTOMIZE}/ssa`] ?? '');
  if (isSuspended || isLeft || isIgnored) {
    const says = `Flux does not reconcile ${nameOf(ref)} now: commit the change to Git before it does.`;
    return [note('flux', says, TO_GIT)];
  }
  const says = `Flux would revert ${nameOf(ref)} at its next interval. Commit the diff to Git, or first run: ${suspend('kustomization', owner, 'Git')}`;
  return [obstacle('flux', says)];
}

function fluxHelm(head: ObjectHead, surroundings: readonly unknown[]): Hazard[] {
  const owner = fluxOwner(HELM_RELEASE, 'HelmRelease', head, surroundings);
  if (owner === undefined) return [];
  const { name, object } = owner;
  const drifts = valueAt(object, '/spec/driftDetection/mode');
  if (valueAt(object, '/spec/suspend') === true || (object !== undefined && drifts !== 'enabled')) {
    const says = `Flux's HelmRelease ${name} reverts a change of ${nameOf(head.ref)} at its next upgrade: add it to the values before.`;
    return [note('flux-helm', says, TO_VALUES)];
  }
  const why = object === undefined ? 'was not read and may revert changes' : 'detects drift and reverts changes';
  const says = `Flux's HelmRelease ${name} ${why}. Add the change to its values, or first run: ${suspend('helmrelease', owner, 'the values')}`;
  return [obstacle('flux-helm', says)];
}

function helm({ annotations, labels }: ObjectHead): Hazard[] {
  if (labels[`${HELM_RELEASE}/name`] !== undefined) return [];
  const release = annotations['meta.helm.sh/release-name'];
  if (release === undefined && labels['app.kubernetes.io/managed-by'] !== 'Helm') return [];
  const says = `Helm release ${release ?? '(unnamed)'} owns this object: add the change to its values too, or an upgrade with Helm 4 conflicts.`;
  return [note('helm', says, TO_VALUES)];
}
