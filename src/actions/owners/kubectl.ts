import type { ObjectRef, PatchOperation } from '../../model/plan.ts';
import { groupOf } from './read-object.ts';

/** A text as one word of a shell, whatever stands in it. */
export function quote(text: string): string {
  return /^[\w@%+:,./=-]+$/.test(text) ? text : quoteAlways(text);
}

/** `deployment.apps/vllm`, as kubectl takes it; the version of the API is left to kubectl. */
export function kubectlName(ref: Pick<ObjectRef, 'apiVersion' | 'kind' | 'name'>): string {
  const group = groupOf(ref);
  return quote(`${ref.kind.toLowerCase()}${group === '' ? '' : `.${group}`}/${ref.name}`);
}

/** `kubectl -n llm <words>`. */
export function kubectl({ namespace }: Pick<ObjectRef, 'namespace'>, words: string): string {
  return `kubectl -n ${quote(namespace)} ${words}`;
}

/** A JSON Patch as a command, its tests with it. */
export function patchCommand(ref: ObjectRef, patch: readonly PatchOperation[]): string {
  return kubectl(ref, `patch ${kubectlName(ref)} --type=json -p=${quoteAlways(JSON.stringify(patch))}`);
}

/** A merge patch as a command, for fields that may not be there yet. */
export function mergeCommand(ref: ObjectRef, fields: unknown): string {
  return kubectl(ref, `patch ${kubectlName(ref)} --type=merge -p=${quoteAlways(JSON.stringify(fields))}`);
}

/** A count by kubectl's own word, for kinds with a scale. */
export function scaleCommand(ref: ObjectRef, replicas: number): string {
  return kubectl(ref, `scale ${kubectlName(ref)} --replicas=${replicas}`);
}

// As long as a run waits unless told otherwise: a template that cannot become ready would be waited for for ever.
const FOLLOW_TIMEOUT = '30m';

/** Waits until all replicas have the template as it stands; it fails where that does not come in time. */
export function followCommand(ref: ObjectRef, replicas: number): string {
  const { kind, name, namespace } = ref;
  if (kind === 'Rollout') {
    return `kubectl argo rollouts status ${quote(name)} -n ${quote(namespace)} --timeout ${FOLLOW_TIMEOUT}`;
  }
  if (kind === 'Deployment' || kind === 'StatefulSet') {
    return kubectl(ref, `rollout status ${kubectlName(ref)} --timeout=${FOLLOW_TIMEOUT}`);
  }
  // Its status says of no generation that it is about: the controller gets time to see the change.
  const until = `--for=jsonpath='{.status.updatedReplicas}'=${replicas} --timeout=${FOLLOW_TIMEOUT}`;
  return `sleep 15 && ${kubectl(ref, `wait ${kubectlName(ref)} ${until}`)}`;
}

/** A new object as a command. */
export function createCommand(ref: ObjectRef, manifest: unknown): string {
  return `printf %s ${quoteAlways(JSON.stringify(manifest))} | ${kubectl(ref, 'create -f -')}`;
}

function quoteAlways(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
