import { isMap } from '../change.ts';

/** A variable of a container. `value` is undefined where it comes from elsewhere (a Secret, a field) or is computed. */
type Variable = { readonly name: string; readonly value: string | undefined; readonly item: object };

export type Container = {
  readonly command: readonly string[] | undefined;
  readonly args: readonly string[] | undefined;
  readonly env: readonly Variable[] | undefined;
};

/** A container's words and variables; undefined where the JSON is none the API server would take. */
export function readContainer(json: unknown): Container | undefined {
  if (!isMap(json)) return undefined;
  const command = readWords(json.command);
  const args = readWords(json.args);
  const env = readEnv(json.env);
  if (command === null || args === null || env === null) return undefined;
  return { command, args, env };
}

/** The variable in force: of several with one name, the last. */
export function findVariable(env: Container['env'], name: string): (Variable & { readonly index: number }) | undefined {
  const index = env?.findLastIndex((variable) => variable.name === name) ?? -1;
  const found = env?.[index];
  return found === undefined ? undefined : { ...found, index };
}

function readWords(value: unknown): readonly string[] | undefined | null {
  if (value === undefined) return undefined;
  return Array.isArray(value) && value.every((word) => typeof word === 'string') ? value : null;
}

function readEnv(value: unknown): Container['env'] | null {
  if (value === undefined) return undefined;
  if (!Array.isArray(value)) return null;
  const read = value.map(readVariable);
  return read.every((variable) => variable !== undefined) ? read : null;
}

function readVariable(item: unknown): Variable | undefined {
  if (!isMap(item) || typeof item.name !== 'string') return undefined;
  const { name, value } = item;
  if (value !== undefined && typeof value !== 'string') return undefined;
  // Without a value and a source a variable is empty.
  const literal = value ?? ('valueFrom' in item ? undefined : '');
  return { name, value: literal === undefined || /\$[($]/.test(literal) ? undefined : literal, item };
}
