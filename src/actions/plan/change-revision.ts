import { valueAt } from '../../model/json-patch.ts';
import { diffJson, isMap } from '../change.ts';
import { kubectl, kubectlName, quote } from '../owners/kubectl.ts';
import type { Owner } from '../owners/owner.ts';
import { type LiveRef, nameOf } from '../owners/read-object.ts';
import { type ChangeOutcome, gatherWrites } from './change-set.ts';
import { type PlanInput, type RevisionTemplates, refuse } from './plan-input.ts';

const KINDS = ['Deployment', 'StatefulSet', 'Rollout', 'LeaderWorkerSet'];

/** The pod templates of the previous revision. The revisions come from evidence with secrets redacted: those keep their current value. */
export function changeRevision(owner: Owner, { revisions }: Pick<PlanInput, 'revisions'>): ChangeOutcome {
  const { ref } = owner.head;
  const { templates } = owner;
  const undo = undoCommand(ref);
  if (!KINDS.includes(ref.kind)) {
    const says = `No run of oombot has changed ${nameOf(ref)}, and it keeps no revision to roll back to by a button. The earlier state is in Git, or in:`;
    return refuse('no-record', says, undo);
  }
  const [now, before] = [revisions?.now, revisions?.before].map((one) => listed(one, templates.length));
  if (before === undefined || templates.some((one) => one.ref.uid !== ref.uid)) {
    const says = `No run of oombot has changed ${nameOf(ref)}, and its previous revision was not read.`;
    return refuse('no-record', says, undo);
  }
  const parts = templates.flatMap(({ object, path }, i) => changeTo(before[i], object, path) ?? []);
  if (parts.length < templates.length) {
    const says = 'The previous revision holds values that the evidence hides and that are no longer there.';
    return refuse('hidden-values', says, undo);
  }
  if (parts.every(({ change }) => change.patch.length === 0))
    return refuse('nothing-to-do', `${nameOf(ref)} is at its previous revision already.`);
  if (now !== undefined && templates.some(({ object, path }, i) => isOther(now[i], object, path))) {
    const says = `${nameOf(ref)} was changed since this finding: its pod template is no longer that of the last rollout. Triage again.`;
    return refuse('changed-since', says, undo);
  }
  const says = `roll ${nameOf(ref)} back to its previous revision`;
  const writes = gatherWrites(parts.map((part) => ({ ref, ...part })));
  return { kind: 'change', creates: [], writes, edits: [], says };
}

/** What leads from the template that stands at a path to that of a revision; undefined where a value of it is hidden and no longer there. */
function changeTo(template: unknown, object: unknown, path: string) {
  const live = valueAt(object, path);
  const wanted = unmask(withoutMarks(template), live);
  return wanted === HIDDEN ? undefined : { object, change: diffJson(live, wanted, path) };
}

function isOther(template: unknown, object: unknown, path: string): boolean {
  return changeTo(template, object, path)?.change.patch.length !== 0;
}

// In the order of the owner's templates: the leader first where it has one of its own.
function listed(one: RevisionTemplates | undefined, count: number): readonly unknown[] | undefined {
  const all = [one?.leader, one?.template].filter((template) => template !== undefined);
  return count > 0 && all.length === count ? all : undefined;
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
