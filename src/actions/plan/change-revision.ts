import { valueAt } from '../../model/json-patch.ts';
import { diffJson, isMap } from '../change.ts';
import { kubectl, kubectlName, quote } from '../owners/kubectl.ts';
import type { Owner } from '../owners/owner.ts';
import { type LiveRef, nameOf } from '../owners/read-object.ts';
import { type ChangeOutcome, gatherWrites } from './change-set.ts';
import { type PlanInput, refuse } from './plan-input.ts';

const KINDS = ['Deployment', 'StatefulSet', 'Rollout'];

/** The pod template of the previous revision. It comes from evidence with secrets redacted: those keep their current value. */
export function changeRevision(owner: Owner, { previousTemplate }: Pick<PlanInput, 'previousTemplate'>): ChangeOutcome {
  const { ref } = owner.head;
  const [template] = owner.templates;
  const undo = undoCommand(ref);
  if (!KINDS.includes(ref.kind)) {
    const says = `No oombot run has changed ${nameOf(ref)}, and it keeps no revision to roll back to. Its earlier state is in Git, or in:`;
    return refuse('no-record', says, undo);
  }
  if (template === undefined || template.ref.uid !== ref.uid || previousTemplate === undefined) {
    const says = `No oombot run has changed ${nameOf(ref)}, and its previous revision was not read.`;
    return refuse('no-record', says, undo);
  }
  const { object, path } = template;
  const live = valueAt(object, path);
  const before = unmask(withoutMarks(previousTemplate), live);
  if (before === HIDDEN) {
    const says = 'The previous revision has redacted values that the object no longer has.';
    return refuse('hidden-values', says, undo);
  }
  const change = diffJson(live, before, path);
  if (change.patch.length === 0)
    return refuse('nothing-to-do', `${nameOf(ref)} already matches its previous revision.`);
  const says = `roll back ${nameOf(ref)} to the template of its previous revision`;
  return { kind: 'change', creates: [], writes: gatherWrites([{ ref, object, change }]), edits: [], says };
}

// kubectl undoes its own kinds, Argo's plugin a Rollout; of others the revisions can be looked at.
function undoCommand(ref: LiveRef): string {
  const name = quote(ref.name);
  switch (ref.kind) {
    case 'Deployment':
    case 'StatefulSet':
      return kubectl(ref, `rollout undo ${kubectlName(ref)}`);
    case 'Rollout':
      return `kubectl argo rollouts undo ${name} -n ${quote(ref.namespace)}`;
    case 'LeaderWorkerSet':
      return kubectl(ref, `get controllerrevisions -l leaderworkerset.sigs.k8s.io/name=${name} -o yaml`);
    default:
      return kubectl(ref, `get ${kubectlName(ref)} -o yaml --show-managed-fields`);
  }
}

const HIDDEN = Symbol('hidden');
const MASK = /\[redacted:/;

// What the controllers add to a revision and the owner itself does not have.
function withoutMarks(template: unknown): unknown {
  if (!isMap(template)) return template;
  const { $patch: _, ...rest } = template;
  const metadata = isMap(rest.metadata) ? rest.metadata : {};
  if (!isMap(metadata.labels)) return rest;
  const { 'pod-template-hash': _hash, 'rollouts-pod-template-hash': _rollout, ...labels } = metadata.labels;
  return { ...rest, metadata: { ...metadata, labels } };
}

// Redacted texts get the value that stands at their place now; items of lists are the same by their names.
function unmask(wanted: unknown, live: unknown): unknown {
  if (typeof wanted === 'string') return MASK.test(wanted) ? (typeof live === 'string' ? live : HIDDEN) : wanted;
  if (Array.isArray(wanted)) {
    const items = wanted.map((item, i) => unmask(item, twinOf(item, i, live)));
    return items.includes(HIDDEN) ? HIDDEN : items;
  }
  if (!isMap(wanted)) return wanted;
  const entries = Object.entries(wanted)
    // A schema at the border turns what is missing into undefined; JSON knows no such value.
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, unmask(value, isMap(live) ? live[key] : undefined)] as const);
  return entries.some(([, value]) => value === HIDDEN) ? HIDDEN : Object.fromEntries(entries);
}

function twinOf(item: unknown, i: number, live: unknown): unknown {
  if (!Array.isArray(live)) return undefined;
  const name = isMap(item) ? item.name : undefined;
  return name === undefined ? live[i] : live.find((other) => isMap(other) && other.name === name);
}
