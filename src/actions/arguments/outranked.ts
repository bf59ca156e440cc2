import { type Container, findVariable } from './read-container.ts';

const PASSED_ON = 'NIM_PASSTHROUGH_ARGS';

/**
 * Whether a NIM's own words or the arguments that it passes on hold a flag, or may hold it: they win over the variable that
 * says the same (NVIDIA NIM LLM 2, Advanced Configuration, Configuration Priority).
 */
export function isOutranked(flag: string, { command = [], args = [], env }: Container): boolean {
  const passedOn = findVariable(env, PASSED_ON);
  if (passedOn !== undefined && passedOn.value === undefined) return true;
  return [...command, ...args, passedOn?.value ?? ''].some((text) => mayHold(text, flag));
}

function mayHold(text: string, flag: string): boolean {
  const names = text.match(/--[A-Za-z][\w-]*/g) ?? [];
  return /[$`]/.test(text) || names.some((name) => name.replaceAll('_', '-') === flag);
}
