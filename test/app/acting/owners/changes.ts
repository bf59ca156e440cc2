import { isSameJson } from '../../../../src/model/json-patch.ts';
import type { KubeObject } from '../../../../src/standins/api-server/objects/world.ts';

/** All that can be written, as it stands: without what the server and the controllers keep, and without our marks. */
export function bareObjects(objects: readonly KubeObject[]): readonly unknown[] {
  return objects
    .filter(({ kind }) => !['Pod', 'ReplicaSet', 'Event'].includes(kind))
    .map(bare)
    .toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function bare({ status: _status, metadata, ...rest }: KubeObject): unknown {
  const { managedFields: _f, resourceVersion: _r, generation: _g, creationTimestamp: _c, ...meta } = metadata;
  const annotations = Object.entries((meta.annotations ?? {}) as object).filter(([key]) => !key.startsWith('oombot.'));
  const { annotations: _a, ...named } = meta;
  return { ...rest, metadata: { ...named, annotations: Object.fromEntries(annotations) } };
}

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
  const text = typeof value === 'string' ? value.replace(/(?<=-oom-).*/, '…') : JSON.stringify(value);
  return text.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '…');
}

function areWords(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((one) => typeof one === 'string');
}

function isTree(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
