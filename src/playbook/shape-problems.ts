import { z } from 'zod';
import { nearest } from '../model/nearest.ts';
import type { Locate, Problem } from './problem.ts';

type Issue = z.core.$ZodIssue;
type Schema = z.core.$ZodType;

type Shaped<T> =
  | { readonly kind: 'sound'; readonly value: T }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

/** Parses a value of a YAML file by its schema; what does not fit is told with its place, what is allowed and the nearest name. */
export function shape<T>(schema: z.ZodType<T>, value: unknown, at: { path: string; locate: Locate }): Shaped<T> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { kind: 'sound', value: result.data };
  const problems = result.error.issues.filter(isFirst).flatMap((issue) =>
    tell(schema, issue).map(({ keys, key, message }) => ({
      file: at.path,
      ...at.locate(keys, key),
      message,
      severity: 'error' as const,
    })),
  );
  return { kind: 'refused', problems };
}

// A misspelt key makes its map incomplete as well; telling that too would only confuse.
function isFirst(issue: Issue, _: number, all: readonly Issue[]): boolean {
  const here = issue.path.join('/');
  return issue.code !== 'custom' || !all.some((o) => o.code === 'unrecognized_keys' && o.path.join('/') === here);
}

type Told = { readonly keys: readonly PropertyKey[]; readonly key: boolean; readonly message: string };

/** The words for one fault of a schema: one entry per thing to change. */
export function tell(schema: Schema, issue: Issue): Told[] {
  const name = String(issue.path.at(-1) ?? '');
  const told = (message: string, key = false): Told[] => [{ keys: issue.path, key, message }];
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        keys: [...issue.path, key],
        key: true,
        message: strangeKey(key, keysAt(schema, issue.path)),
      }));
    case 'invalid_union':
      return tellUnion(schema, issue);
    case 'invalid_value':
      return told(badWord(issue.input, issue.values));
    case 'invalid_type':
      if (issue.input === undefined) return told(`\`${name}\` is missing here`);
      return told(
        `${name === '' ? 'this' : `\`${name}\``} must be ${kindWord(issue.expected)}, not ${show(issue.input)}`,
      );
    case 'invalid_key':
      return told(`\`${name}\`: ${issue.issues[0]?.message ?? 'not a valid name'}`, true);
    case 'too_small':
      return told(isNumeric(issue) ? `\`${name}\` must be ${bound('least', issue)}` : `\`${name}\` must not be empty`);
    case 'too_big':
      return told(`\`${name}\` must be ${bound('most', issue)}`);
    default:
      return told(issue.message);
  }
}

type Bounded = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

function isNumeric({ origin }: Bounded): boolean {
  return origin === 'number' || origin === 'int';
}

function bound(end: 'least' | 'most', issue: Bounded): string {
  const limit = issue.code === 'too_small' ? issue.minimum : issue.maximum;
  if (issue.inclusive === false) return `${end === 'least' ? 'above' : 'below'} ${limit}`;
  return `at ${end} ${limit}${issue.origin === 'string' ? ' characters' : ''}`;
}

// Of several alternatives the one that was meant is the one whose outer kind fits what is there.
function tellUnion(schema: Schema, issue: z.core.$ZodIssueInvalidUnion): Told[] {
  const told = (message: string): Told[] => [{ keys: issue.path, key: false, message }];
  if (issue.input === undefined) return told(`\`${String(issue.path.at(-1))}\` is missing here`);
  const fits = (list: readonly Issue[]): boolean => !list.some((i) => i.path.length === 0 && i.code === 'invalid_type');
  const meant = issue.errors.find((list) => fits(list) && (typeof issue.input === 'object') === objectLike(list));
  if (meant === undefined) return told(`${show(issue.input)} does not belong here`);
  return meant.flatMap((inner) => tell(schema, { ...inner, path: [...issue.path, ...inner.path] }));
}

function objectLike(list: readonly Issue[]): boolean {
  return list.some((issue) => issue.path.length > 0 || issue.code === 'unrecognized_keys');
}

function strangeKey(key: string, allowed: readonly string[]): string {
  const guess = nearest(key, allowed);
  const list = allowed.length > 0 ? ` (allowed: ${allowed.join(', ')})` : '';
  return guess === undefined
    ? `no key \`${key}\` here${list}`
    : `no key \`${key}\` here, did you mean \`${guess}\`?${list}`;
}

function badWord(input: unknown, values: readonly z.core.util.Primitive[]): string {
  const words = values.map(String);
  const guess = typeof input === 'string' ? nearest(input, words) : undefined;
  if (words.length === 1) return `must be ${words[0]}, not ${show(input)}`;
  const list = guess !== undefined && words.length > 12 ? '' : ` (allowed: ${words.join(', ')})`;
  return `${show(input)} is not allowed here${guess === undefined ? '' : `, did you mean ${guess}?`}${list}`;
}

function kindWord(expected: string): string {
  const words: Readonly<Record<string, string>> = {
    object: 'a map',
    record: 'a map',
    array: 'a list',
    string: 'text',
    int: 'a whole number',
    number: 'a number',
    boolean: 'true or false',
  };
  return words[expected] ?? expected;
}

/** A value as it would stand in the file, short. */
export function show(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

/** The keys that a map at this path may have, as the schema says. */
function keysAt(schema: Schema, path: readonly PropertyKey[]): readonly string[] {
  let here: Schema | undefined = schema;
  for (const part of path) here = here === undefined ? undefined : inside(here, part);
  const object = here === undefined ? undefined : unwrap(here);
  return object instanceof z.ZodObject ? Object.keys(object.shape) : [];
}

function inside(schema: Schema, part: PropertyKey): Schema | undefined {
  const node = unwrap(schema);
  if (node instanceof z.ZodObject) return node.shape[String(part)];
  if (node instanceof z.ZodRecord) return node.valueType;
  if (node instanceof z.ZodArray) return node.element;
  return undefined;
}

function unwrap(schema: Schema): Schema {
  if (schema instanceof z.ZodOptional) return unwrap(schema.unwrap());
  if (schema instanceof z.ZodLazy) return unwrap(schema.unwrap());
  if (!(schema instanceof z.ZodUnion)) return schema;
  return schema.options.find((option) => option instanceof z.ZodObject) ?? schema;
}
