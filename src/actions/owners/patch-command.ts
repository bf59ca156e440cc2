import type { PatchOperation } from '../../model/plan.ts';
import { kubectlName } from './kubectl.ts';
import type { LiveRef } from './read-object.ts';

/** A JSON Patch as a command, whatever quotes stand in it. */
export function patchCommand(
  ref: LiveRef,
  patch: readonly PatchOperation[],
  subresource: 'none' | 'scale' = 'none',
): string {
  const json = JSON.stringify(patch).replaceAll("'", `'\\''`);
  const sub = subresource === 'scale' ? ' --subresource=scale' : '';
  return `kubectl -n ${ref.namespace} patch ${kubectlName(ref)}${sub} --type=json -p '${json}'`;
}
