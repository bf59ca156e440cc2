import { valueAt } from '../../../model/json-patch.ts';
import { type Answer, json } from '../objects/status.ts';
import type { KubeObject } from '../objects/world.ts';
import { faultsOf, unknownFields } from './check-object.ts';
import { invalid } from './refusals.ts';
import {
  isDryRun,
  managerOf,
  refused,
  type WriteAnswer,
  type WriteContext,
  type WriteRequest,
} from './write-request.ts';

type Keeping = {
  readonly before: KubeObject | undefined;
  readonly after: KubeObject;
  readonly status: number;
  /** What the client gets: the object, or its scale. */
  readonly show: (object: KubeObject) => unknown;
};

/** The last part of each write: validation, admission, and then it is kept, unless it is a dry run. */
export function keepObject(
  { storage, admission }: WriteContext,
  request: WriteRequest,
  { before, after, status, show }: Keeping,
): WriteAnswer {
  const { path, query } = request;
  const unknown = query.fieldValidation === 'Strict' ? [] : unknownFields(after);
  const faults = faultsOf(after, before);
  const { subresource } = path;
  const kind = subresource === 'scale' ? 'Scale' : path.resource.kind;
  if (faults.length > 0) return refused(invalid({ ...path, name: after.metadata.name }, faults, kind));
  for (const admit of admission) {
    const refusal = admit(after, request);
    if (refusal !== undefined) return refused(refusal);
  }
  const dryRun = isDryRun(request);
  const kept = storage.save(before, after, { manager: managerOf(request), subresource, dryRun });
  const told = query.fieldValidation === 'Ignore' ? [] : unknown.map((field) => `unknown field "${field}"`);
  const answer = [...told, ...warningsOf(after)].reduce(addWarning, json(show(kept), status));
  return { answer, outcome: dryRun ? 'dry-run' : kept === before ? 'unchanged' : 'applied' };
}

/** Adds a `Warning:` header to an answer. */
export function addWarning(answer: Answer, text: string): Answer {
  if (answer.kind !== 'json') return answer;
  const quoted = `299 - "${text.replace(/["\\]/g, '\\$&')}"`;
  const old = answer.headers?.warning ?? [];
  return { ...answer, headers: { ...answer.headers, warning: [old, quoted].flat() } };
}

// Custom resources are not looked into.
const BUILT_IN = ['Deployment', 'StatefulSet'];

/** What the API server warns of in a pod template: a variable that is set twice. */
function warningsOf(object: KubeObject): string[] {
  const containers = BUILT_IN.includes(object.kind) ? valueAt(object, '/spec/template/spec/containers') : undefined;
  return (Array.isArray(containers) ? containers : []).flatMap((container, i) => {
    const env = valueAt(container, '/env');
    const names = (Array.isArray(env) ? env : []).map((one) => String(valueAt(one, '/name')));
    return names.flatMap((name, j) =>
      names.indexOf(name) < j
        ? [
            `spec.template.spec.containers[${i}].env[${j}]: hides previous definition of "${name}", which may be dropped when using apply`,
          ]
        : [],
    );
  });
}
