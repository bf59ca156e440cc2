import { createTwoFilesPatch } from 'diff';
import { stringify } from 'yaml';
import { applyPatch, isSameJson } from '../../model/json-patch.ts';
import { isMap } from '../change.ts';
import { nameOf, type Place } from '../owners/read-object.ts';
import { hideValues } from './hide-values.ts';
import type { StepList } from './steps.ts';

const CONTEXT_LINES = 2;

/** What the steps change, object by object, as unified diffs of their YAML: first and last state, new objects whole. */
export function drawDiff(steps: StepList): string {
  const written = steps.written().map((place) => diffOf(place, place.object, steps.now(place)));
  const created = steps.steps.flatMap((step) => {
    return step.kind === 'create' ? [diffOf({ ref: step.object }, undefined, step.manifest)] : [];
  });
  const parts = [...created, ...written].filter((part) => part !== '');
  return (parts.length > 0 ? parts : steps.written().map((place) => lowestOf(steps, place))).join('\n');
}

// A count that goes to zero and comes back shows in no first and last state.
function lowestOf({ steps }: StepList, place: Place): string {
  const own = steps.find((step) => step.kind === 'write' && step.object.uid === place.ref.uid);
  const applied = own?.kind === 'write' ? applyPatch(place.object, own.patch) : undefined;
  return applied?.kind === 'applied' ? diffOf(place, place.object, applied.value) : '';
}

function diffOf({ ref }: { ref: Parameters<typeof nameOf>[0] }, before: unknown, after: unknown): string {
  const [from, to] = [shown(before), shown(after)];
  if (isSameJson(from, to)) return '';
  const [was, will] = hideValues(from, to).map(text);
  const name = nameOf(ref);
  const patch = createTwoFilesPatch(name, name, was ?? '', will ?? '', 'now', 'planned', { context: CONTEXT_LINES });
  // A ruler is above the names.
  return patch.slice(patch.indexOf('--- '));
}

function text(value: unknown): string {
  return value === undefined ? '' : stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

const APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

// Without what no plan writes and nobody reads.
function shown(object: unknown): unknown {
  if (!isMap(object)) return object;
  const { status: _status, metadata, ...rest } = object;
  if (!isMap(metadata)) return { ...rest, metadata };
  const { managedFields: _fields, annotations, ...meta } = metadata;
  const own = isMap(annotations)
    ? Object.fromEntries(Object.entries(annotations).filter(([key]) => key !== APPLIED))
    : annotations;
  return { ...rest, metadata: own === undefined ? meta : { ...meta, annotations: own } };
}
