import type { ObjectRef } from '../../model/plan.ts';

/** `llm/Deployment/vllm-server`. */
export function nameOf({ namespace, kind, name }: ObjectRef): string {
  return `${namespace}/${kind}/${name}`;
}

const MAX_VALUE = 300;

/** Both values of a field that somebody else has changed. */
export function valuesOf(path: string, expected: unknown, found: unknown): string {
  return `${path} should be ${draw(expected)} and is ${draw(found)}`;
}

function draw(value: unknown): string {
  if (value === undefined) return 'not there';
  const text = JSON.stringify(value);
  return text.length <= MAX_VALUE ? text : `${text.slice(0, MAX_VALUE)}…`;
}
