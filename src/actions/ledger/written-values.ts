import { isSameJson, valueAt } from '../../model/json-patch.ts';
import type { PatchOperation, Plan, Run, WriteStep } from '../../model/plan.ts';
import { isSameValue } from '../run/same-value.ts';

/** One field of an object that a run has set, with the value from before; undefined where it was not there. */
export type WrittenValue = {
  readonly object: WriteStep['object'];
  readonly subresource: WriteStep['subresource'];
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
};

/**
 * What a run has changed in the end, over all of its writes: a count that went to zero and came back is no change. A write
 * that failed or was cut off counts where `live` holds its value: it may have been made all the same.
 */
export function writtenValues(
  { steps }: Pick<Plan, 'steps'>,
  run: Pick<Run, 'steps'>,
  live?: unknown,
): readonly WrittenValue[] {
  const phases = new Map(run.steps.map(({ n, phase, attempts }) => [n, attempts === 0 ? 'not-run' : phase]));
  const net = new Map<string, WrittenValue>();
  for (const step of steps) {
    if (step.kind !== 'write') continue;
    for (const value of valuesOf(step).toReversed()) {
      const isHeld = valueAt(live, '/metadata/uid') === step.object.uid && holds(live, value);
      const phase = phases.get(step.n);
      const isUnsure = phase === 'failed' || phase === 'running';
      if (phase !== 'done' && !(isUnsure && isHeld)) continue;
      const key = `${step.object.uid} ${value.path}`;
      net.set(key, { ...value, from: net.has(key) ? net.get(key)?.from : value.from });
    }
  }
  return [...net.values()].filter(({ from, to }) => !isSameJson(from ?? null, to ?? null));
}

function holds(live: unknown, { path, to }: WrittenValue): boolean {
  return isSameValue(path, to, valueAt(live, path));
}

// The inverse, from the last to the first, tests each of our values and then puts the old one back; of a restart it only tests.
function valuesOf({ object, subresource, inverse }: WriteStep): readonly WrittenValue[] {
  return inverse.flatMap((test, i) => {
    const back = inverse[i + 1];
    if (test.op !== 'test' || back === undefined || back.op === 'test' || !isUnder(test.path, back)) return [];
    const from = back.op === 'remove' ? undefined : back.value;
    return [{ object, subresource, path: test.path, from, to: test.value }];
  });
}

// A field whose parents were made with it goes away with them.
function isUnder(path: string, back: PatchOperation): boolean {
  return path === back.path || (back.op === 'remove' && path.startsWith(`${back.path}/`));
}
