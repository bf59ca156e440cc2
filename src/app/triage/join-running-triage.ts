import type { Actor } from '../../model/authorise.ts';
import type { Asker, PodQuery, PodTarget } from '../ports.ts';

// The letters and digits of names that Kubernetes makes up (apimachinery, util/rand).
const MADE_UP = '[bcdfghjklmnpqrstvwxz2456789]';
const OF_REPLICA_SET = new RegExp(`-${MADE_UP}{6,10}-${MADE_UP}{5}$`);
const ORDINALS = /-\d+(-\d+)?$/;

/**
 * Requests with the same key may be about one workload: whether they are is only known once the pod is found. Requests
 * that may see more or less of the evidence never share a key.
 */
export function joinKey(request: { readonly asker: Asker; readonly actor: Actor; readonly query: PodQuery }): string {
  return keyOf(request, guessWorkload(request.query.pod));
}

/** The key of those who ask in the very same words. */
export function exactKey(request: { readonly asker: Asker; readonly actor: Actor; readonly query: PodQuery }): string {
  return keyOf(request, `=${request.query.pod}`);
}

function keyOf({ asker, actor, query }: { asker: Asker; actor: Actor; query: PodQuery }, name: string): string {
  const shown = actor.place === 'slack' && actor.externallyShared ? 'verdict-only' : 'full';
  const { cluster = '', namespace = '', container = '' } = query;
  return [asker.conversation, shown, cluster, namespace, name, container].join('\n');
}

// The name without what Kubernetes appends. A guess: `vllm-7` may be the seventh pod of `vllm` or a workload so called.
function guessWorkload(pod: string): string {
  return OF_REPLICA_SET.test(pod) ? pod.replace(OF_REPLICA_SET, '') : pod.replace(ORDINALS, '');
}

// What each kind of owner appends to its own name.
const APPENDED: Readonly<Record<string, RegExp>> = {
  Deployment: new RegExp(`^-${MADE_UP}{1,10}-${MADE_UP}{5}$`),
  ReplicaSet: new RegExp(`^-${MADE_UP}{5}$`),
  DaemonSet: new RegExp(`^-${MADE_UP}{5}$`),
  Job: new RegExp(`^(-\\d+)?-${MADE_UP}{5}$`),
  StatefulSet: /^-\d+$/,
  LeaderWorkerSet: ORDINALS,
  Pod: /^$/,
};

/** True where this name is one of the pods of the workload that was found, or the workload itself. */
export function belongsTo(name: string, target: PodTarget): boolean {
  if (name === target.pod || name === target.replaced) return true;
  const slash = target.workload.indexOf('/');
  const workload = target.workload.slice(slash + 1);
  if (!name.startsWith(workload)) return false;
  const rest = name.slice(workload.length);
  // Owners of a kind that is not known here append what they like, behind a dash.
  return rest === '' || (APPENDED[target.workload.slice(0, slash)] ?? /^-/).test(rest);
}
