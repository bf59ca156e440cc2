import { isSameJson } from '../../../../src/model/json-patch.ts';

type Named = { readonly kind: string; readonly metadata: { readonly name: string } };

/** What differs between two states of a cluster, field by field: `Deployment /spec/replicas: 2 -> 0`; of lists of words only the words. */
export function changesOf(before: readonly unknown[], after: readonly unknown[]): string[] {
  const old = new Map((before as Named[]).map((one) => [keyOf(one), one]));
  return (after as Named[]).flatMap((one) => {
    const was = old.get(keyOf(one));
    return was === undefined ? [`${one.kind} made`] : differ(was, one, '').map((line) => `${one.kind} ${line}`);
  });
}

const keyOf = ({ kind, metadata }: Named): string => `${kind}/${metadata.name}`;

function differ(before: unknown, after: unknown, path: string): string[] {
  if (isSameJson(before, after)) return [];
  if (areWords(before) && areWords(after)) return [`${path}: ${sayWords(before, after)}`];
  if (isTree(before) && isTree(after)) {
    const keys = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return keys.flatMap((key) => differ(before[key], after[key], `${path}/${key}`));
  }
  return [`${path}: ${show(before)} -> ${show(after)}`];
}

function sayWords(before: readonly string[], after: readonly string[]): string {
  const [a, b] = [before, after].map((list) => list.join(' ').split(/\s+/)) as [string[], string[]];
  const gone = a.filter((word, i) => word !== b[i]);
  const come = b.filter((word, i) => word !== a[i]);
  return `${gone.join(' ')} -> ${come.join(' ')}`;
}

function show(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string'
    ? value.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z|(?<=-oom-).*/, '…')
    : JSON.stringify(value);
}

function areWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
