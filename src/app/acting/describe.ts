import { hideValues } from '../../actions/plan/hide-values.ts';
import { readMarks } from '../../actions/run/stamp.ts';
import type { ObjectRef } from '../../model/plan.ts';

/** `llm/Deployment/vllm-server`. */
export function nameOf({ namespace, kind, name }: ObjectRef): string {
  return `${namespace}/${kind}/${name}`;
}

/** Whether an object goes by itself once it was written: a pod that was ended. */
export function mayGo({ kind }: ObjectRef): boolean {
  return kind === 'Pod';
}

const MAX_VALUE = 300;

/** Both values of a field that someone else changed. They are stored and shown, so possible secrets are hidden. */
export function valuesOf(path: string, expected: unknown, found: unknown): string {
  const field = path.split('/').at(-1) ?? '';
  const [old, now] = hideValues({ [field]: expected }, { [field]: found });
  return `${path} should be ${draw(fieldOf(old, field))} and is ${draw(fieldOf(now, field))}`;
}

function fieldOf(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null
    ? Object.entries(value).find(([key]) => key === field)?.[1]
    : value;
}

/** Said of an object whose uid is not the one that was planned for; undefined where it is. */
export function remadeWords(object: unknown, { uid, ...ref }: ObjectRef): string | undefined {
  const found = readMarks(object).uid;
  if (uid === null || found === uid) return undefined;
  return `${nameOf({ uid, ...ref })} was deleted and recreated with the same name`;
}

/** Words for an object that is being deleted; undefined if it is not. */
export function deletedWords(object: unknown, ref: ObjectRef): string | undefined {
  return readMarks(object).deletionTimestamp === undefined ? undefined : `${nameOf(ref)} is being deleted`;
}

function draw(value: unknown): string {
  if (value === undefined) return 'not set';
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}
