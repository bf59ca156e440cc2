import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import { keysOf, shapeAt } from './shape.ts';

/** What is wrong in the configuration. `where` is `file:line`, or the name of an environment variable. */
export type ConfigProblem = { readonly where: string; readonly key: string; readonly message: string };

type Issue = z.core.$ZodIssue;
export type Fault = { readonly path: readonly PropertyKey[]; readonly message: string };

/** One issue of the schema in words, with what is allowed and the nearest name. No value is shown: it may be a secret. */
export function faultsOf(issue: Issue, input: unknown): readonly Fault[] {
  const { path } = issue;
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => ({
        path: [...path, key],
        message: unknownName(key, keysOf(shapeAt(path)), 'key'),
      }));
    case 'invalid_type':
      return [{ path, message: wrongType(path, issue.expected, valueAt(input, path)) }];
    case 'invalid_value':
      return [{ path, message: notAllowed(valueAt(input, path), issue.values.map(String)) }];
    case 'too_small':
      return [{ path, message: tooSmall(issue) }];
    case 'too_big':
      return [{ path, message: `is too large: at most ${issue.maximum}` }];
    case 'invalid_key':
    case 'invalid_union':
      return [{ path, message: innerMessage(issue) }];
    case 'invalid_format':
      return [
        {
          path,
          message: issue.format === 'url' ? 'is no address that begins with http:// or https://' : issue.message,
        },
      ];
    default:
      return [{ path, message: issue.message }];
  }
}

function innerMessage(issue: Extract<Issue, { code: 'invalid_key' | 'invalid_union' }>): string {
  const inner = issue.code === 'invalid_key' ? issue.issues[0] : issue.errors[0]?.[0];
  return inner === undefined || inner.message === 'Invalid input' ? 'is not allowed here' : inner.message;
}

function tooSmall({ origin, minimum, inclusive }: Extract<Issue, { code: 'too_small' }>): string {
  if (origin === 'string' || origin === 'array') return 'is empty';
  return inclusive === false ? `is too small: more than ${minimum}` : `is too small: at least ${minimum}`;
}

const KINDS: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a map',
  record: 'a map',
  null: 'nothing',
};

function wrongType(path: readonly PropertyKey[], expected: string, value: unknown): string {
  const wanted = KINDS[expected] ?? expected;
  if (value !== undefined) return `must be ${wanted}, is ${KINDS[kindOf(value)] ?? kindOf(value)}`;
  const says = shapeAt(path)?.description;
  return `is missing: ${wanted}${says === undefined ? '' : `. ${says}`}`;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function notAllowed(value: unknown, allowed: readonly string[]): string {
  const near = typeof value === 'string' ? didYouMean(value, allowed) : '';
  return `is not allowed${near}; allowed: ${allowed.join(', ')}`;
}

/** `no key called clusers, did you mean clusters? Known: ...` */
export function unknownName(name: string, known: readonly string[], what: string): string {
  const list = known.length === 0 ? '' : ` Known: ${known.join(', ')}.`;
  return `no ${what} called ${clip(name)}${didYouMean(name, known) || '.'}${list}`;
}

// Further away than this a name is another name.
function didYouMean(name: string, known: readonly string[]): string {
  if (known.length === 0) return '';
  const near = closest(name, [...known]);
  const far = distance(name.toLowerCase(), near.toLowerCase()) > Math.max(2, near.length / 3);
  return far ? '' : `, did you mean ${near}?`;
}

function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 59)}…` : text;
}

export function valueAt(input: unknown, path: readonly PropertyKey[]): unknown {
  let value = input;
  for (const step of path) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = Object.hasOwn(value, step) ? (value as Record<PropertyKey, unknown>)[step] : undefined;
  }
  return value;
}

/** `clusters[0].prometheus.url` */
export function keyText(path: readonly PropertyKey[]): string {
  const text = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`)).join('');
  return text.replace(/^\./, '') || '(the whole file)';
}
