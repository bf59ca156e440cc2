import type { FailedSettings } from '../../../actions/plan/plan-input.ts';
import { OwnersFile, parseJson, parseJsonFile } from '../../../model/json-file.ts';
import { valueAt } from '../../../model/json-patch.ts';
import { Pod } from '../../../model/kubernetes.ts';
import type { PlanTarget } from '../../../model/plan.ts';
import type { Snapshot } from '../../../model/snapshot.ts';
import { failureTime } from '../../budget/engine-figures.ts';
import type { Diagnosed } from '../../triage/investigate.ts';

type Found = { readonly snapshot: Snapshot; readonly finding: Diagnosed; readonly target: PlanTarget };

/** What ran out of memory by the evidence of an incident; undefined if that is no memory failure, or its time is unknown. */
export function readFailedSettings({ snapshot: { files }, finding, target }: Found): FailedSettings | undefined {
  const at = failureTime(finding.facts);
  const text = files['owners.json'] ?? '';
  const owners = parseJsonFile(OwnersFile, text);
  const top = owners.kind === 'value' ? owners.value.at(-1) : undefined;
  if (at === undefined || top === undefined) return undefined;
  const pod = parseJsonFile(Pod, files['pod.json'] ?? '');
  const containers = (pod.kind === 'value' ? pod.value.spec?.containers : undefined) ?? [];
  const container = containers.find(({ name }) => name === target.container) ?? containers[0];
  return { at, owner: valueAt(parseJson(text), top.path), container };
}
