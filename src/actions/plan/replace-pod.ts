import { toPointer, valueAt } from '../../model/json-patch.ts';
import type { Hazard } from '../../model/plan.ts';
import { isMap, joinChanges, setField } from '../change.ts';
import { note } from '../owners/hazard.ts';
import { kubectl } from '../owners/kubectl.ts';
import { findKind, nameOf, type ObjectHead, type Place } from '../owners/read-object.ts';
import { type Laid, laid, type Work } from './plan-context.ts';
import { type Refused, refuse } from './plan-input.ts';
import { awaitReady, verify } from './scaling.ts';

/** What the labels that a Service selects by are set to. */
const OUT_OF_SERVICE = 'out-of-service';

type Pod = Place & { readonly head: ObjectHead };

/**
 * Takes one pod out of its Services by its labels, which can be undone, then lets the kubelet end it: its owner makes a new
 * one. Only the pod is patched, whatever watches over the workload.
 */
export function layReplacePod(work: Work): Laid | Refused {
  const { input, steps, serving } = work;
  const pod = findKind(input.surroundings, 'Pod').find(({ ref }) => ref.uid === input.pod);
  if (pod === undefined) return refuse('changed-since', 'The pod of this incident is gone: it was replaced already.');
  const name = nameOf(pod.ref);
  if (pod.head.controller === undefined) {
    const says = `${name} has no owner that would make a new one.`;
    return refuse('unknown-owner', says, kubectl(pod.ref, `delete pod ${pod.ref.name}`));
  }
  const keys = labelsToChange(work, pod);
  const out = keys.map((key) => setField(pod.object, toPointer(['metadata', 'labels', key]), OUT_OF_SERVICE));
  const says = `take ${name} out of its Service: set ${keys.join(', ')} to ${OUT_OF_SERVICE}`;
  steps.write(pod, says, joinChanges(out));
  const { patch, inverse } = setField(pod.object, '/spec/activeDeadlineSeconds', 1);
  const end = { patch, inverse: inverse.filter(({ op }) => op === 'test') };
  steps.write(pod, `end ${name}, so that ${nameOf(pod.head.controller)} makes a new pod`, end);
  const replicas = Math.max(1, serving.total);
  awaitReady(work, replicas);
  verify(work, replicas);
  return laid({
    stopped: Math.min(1, serving.ready),
    replaced: 1,
    outage: serving.ready > 1 ? 'none' : 'one-start',
    gpus: 'in-place',
    hazards: hazardsOf(pod, keys),
  });
}

function hazardsOf({ ref }: Pod, keys: readonly string[]): Hazard[] {
  const kept = `The ended pod stays as Failed with its log. Delete it when you are done: ${kubectl(ref, `delete pod ${ref.name}`)}`;
  const only = 'Its owner selects it by the same labels as its Service. It leaves the Service when it ends.';
  return keys.length === 0 ? [note('no-free-label', only)] : [note('pod-kept', kept)];
}

// Of each Service a label that the owner does not select by, so that the pod stays its own. Where there is none: a ReplicaSet
// lets the pod go and makes another under a new name; whatever counts its pods by name would wait for this one.
function labelsToChange({ input: { surroundings } }: Work, { head }: Pod): readonly string[] {
  const [set] = findKind(surroundings, 'ReplicaSet').filter(({ ref }) => ref.name === head.controller?.name);
  const owner = set ?? findKind(surroundings, head.controller?.kind ?? '')[0];
  const own = Object.keys(mapAt(owner?.object, '/spec/selector/matchLabels'));
  const picks = findKind(surroundings, 'Service').flatMap(({ object }) => {
    const keys = Object.keys(mapAt(object, '/spec/selector'));
    const selects = keys.length > 0 && keys.every((key) => head.labels[key] === valueAt(object, selectorPath(key)));
    const free = keys.find((key) => !own.includes(key));
    return selects ? (free ?? (set === undefined ? [] : keys[0]) ?? []) : [];
  });
  const fallback = own.filter((key) => set !== undefined && head.labels[key] !== undefined).slice(0, 1);
  return picks.length === 0 ? fallback : [...new Set(picks)];
}

function selectorPath(key: string): string {
  return `/spec/selector${toPointer([key])}`;
}

function mapAt(object: unknown, path: string): Readonly<Record<string, unknown>> {
  const value = valueAt(object, path);
  return isMap(value) ? value : {};
}
