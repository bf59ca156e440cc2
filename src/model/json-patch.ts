import type { PatchOperation } from './plan.ts';

export type PatchOutcome =
  | { readonly kind: 'applied'; readonly value: unknown }
  /** `at` is the index of the operation that failed; nothing is changed. */
  | { readonly kind: 'failed'; readonly at: number; readonly why: string };

type Done = { readonly value: unknown } | { readonly why: string };

/**
 * Applies a JSON Patch (RFC 6902: test, add, replace, remove) to a copy; all of it or nothing. A test for null passes where
 * the key is not there, as with the API server: so absence can be tested. Never throws.
 */
export function applyPatch(doc: unknown, operations: readonly PatchOperation[]): PatchOutcome {
  let value = doc;
  for (const [at, operation] of operations.entries()) {
    const path = readPointer(operation.path);
    const done = path === undefined ? { why: `${operation.path} is no JSON pointer` } : applyAt(value, path, operation);
    if ('why' in done) return { kind: 'failed', at, why: done.why };
    value = done.value;
  }
  return { kind: 'applied', value };
}

/** The parts of a JSON pointer (RFC 6901), unescaped; undefined where it is none. */
export function readPointer(pointer: string): string[] | undefined {
  if (pointer === '') return [];
  if (!pointer.startsWith('/') || /~(?![01])/.test(pointer)) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
}

/** A JSON pointer made of parts, escaped. */
export function toPointer(parts: readonly (string | number)[]): string {
  return parts.map((part) => `/${String(part).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The value that a pointer leads to; undefined where there is none. */
export function valueAt(doc: unknown, pointer: string): unknown {
  return readPointer(pointer)?.reduce<unknown>((node, key) => childOf(node, key), doc);
}

/** Whether two JSON values are the same; the order of an object's keys does not count. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, i) => isSameJson(item, b[i]));
  }
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSameJson(a[key], b[key]))
  );
}

function applyAt(node: unknown, path: readonly string[], operation: PatchOperation): Done {
  const [key, ...rest] = path;
  if (key === undefined) return applyToRoot(node, operation);
  if (rest.length === 0 && operation.op !== 'test') return change(node, key, operation);
  const child = childOf(node, key);
  if (child === undefined && rest.length === 0 && isTestOfAbsence(node, operation)) return { value: node };
  if (child === undefined) return { why: `${operation.path} is not there` };
  const done = applyAt(child, rest, operation);
  return 'why' in done ? done : { value: withChild(node, key, done.value) };
}

// The API server takes a test for null as passed where the key is not there: evanphx/json-patch v4.12.0, patch.go, `test`.
function isTestOfAbsence(node: unknown, operation: PatchOperation): boolean {
  return isObject(node) && operation.op === 'test' && operation.value === null;
}

// The whole document, or the value that a `test` has come to.
function applyToRoot(node: unknown, operation: PatchOperation): Done {
  if (operation.op === 'remove') return { why: 'the whole document cannot be removed' };
  if (operation.op !== 'test') return { value: operation.value };
  return isSameJson(node, operation.value) ? { value: node } : { why: `${operation.path} holds another value` };
}

type Change = Exclude<PatchOperation, { op: 'test' }>;

function change(node: unknown, key: string, operation: Change): Done {
  if (operation.op === 'add') return add(node, key, operation);
  if (childOf(node, key) === undefined) return { why: `${operation.path} is not there` };
  if (operation.op === 'replace') return { value: withChild(node, key, operation.value) };
  if (Array.isArray(node)) return { value: node.toSpliced(Number(key), 1) };
  return { value: Object.fromEntries(Object.entries(node as object).filter(([name]) => name !== key)) };
}

function add(node: unknown, key: string, operation: Extract<PatchOperation, { op: 'add' }>): Done {
  if (isObject(node)) return { value: withChild(node, key, operation.value) };
  if (!Array.isArray(node)) return { why: `${operation.path} has no parent` };
  const index = key === '-' ? node.length : toIndex(key);
  if (index === undefined || index > node.length) return { why: `${operation.path} is outside the list` };
  return { value: node.toSpliced(index, 0, operation.value) };
}

function withChild(node: unknown, key: string, value: unknown): unknown {
  // A computed key defines the property itself, `__proto__` as well.
  return Array.isArray(node) ? node.with(Number(key), value) : { ...(node as object), [key]: value };
}

function childOf(node: unknown, key: string): unknown {
  if (Array.isArray(node)) {
    const index = toIndex(key);
    return index === undefined ? undefined : node[index];
  }
  return isObject(node) && Object.hasOwn(node, key) ? node[key] : undefined;
}

function toIndex(key: string): number | undefined {
  return /^(?:0|[1-9]\d{0,9})$/.test(key) ? Number(key) : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
