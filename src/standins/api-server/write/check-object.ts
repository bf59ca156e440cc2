import { valueAt } from '../../../model/json-patch.ts';
import type { Cause } from '../objects/status.ts';
import type { KubeObject } from '../objects/world.ts';
import { CONTAINER_FIELDS, POD_FIELDS, POD_PLACES, SPEC_FIELDS, TOP_FIELDS } from './fields.data.ts';

const ALWAYS = ['apiVersion', 'kind', 'metadata'];

/** Fields that the schema of a known kind does not have: `spec.template.spec.containers[0].argz`. */
export function unknownFields(object: KubeObject): string[] {
  const { kind } = object;
  const top = TOP_FIELDS[kind];
  if (top === undefined) return [];
  const specs = SPEC_FIELDS[kind];
  return [
    ...Object.keys(object).filter((key) => !ALWAYS.includes(key) && !top.has(key)),
    ...(specs === undefined ? [] : strangersIn(object.spec, specs, 'spec')),
    ...(POD_PLACES[kind] ?? []).flatMap((place) => unknownInPod(read(object, place), place)),
  ];
}

function unknownInPod(spec: unknown, place: string): string[] {
  const containers = valueAt(spec, '/containers');
  return [
    ...strangersIn(spec, POD_FIELDS, place),
    ...(Array.isArray(containers) ? containers : []).flatMap((container, i) =>
      strangersIn(container, CONTAINER_FIELDS, `${place}.containers[${i}]`),
    ),
  ];
}

function strangersIn(value: unknown, known: ReadonlySet<string>, place: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value)
    .filter((key) => !known.has(key))
    .map((key) => `${place}.${key}`);
}

/** Where a value is of another type than its field: the object can then not be decoded. */
export function wrongTypes(object: KubeObject): string[] {
  const wrong: string[] = [];
  const expect = (is: boolean, words: string): void => {
    if (!is) wrong.push(words);
  };
  const { replicas } = (object.spec ?? {}) as { replicas?: unknown };
  const scales = SPEC_FIELDS[object.kind]?.has('replicas');
  if (scales) expect(replicas === undefined || Number.isInteger(replicas), 'spec.replicas: not a whole number');
  for (const map of ['annotations', 'labels']) {
    const values = Object.values((object.metadata[map] ?? {}) as object);
    expect(
      values.every((value) => typeof value === 'string'),
      `metadata.${map}: not a map of strings`,
    );
  }
  for (const { container, place } of containersOf(object)) {
    for (const list of ['args', 'command'])
      expect(isWords(valueAt(container, `/${list}`)), `${place}.${list}: no strings`);
    expect(isEnv(valueAt(container, '/env')), `${place}.env: values are strings`);
  }
  return wrong;
}

const QUANTITY = /^[+-]?\d+(\.\d+)?(m|k|Ki|M|Mi|G|Gi|T|Ti|P|Pi|E|Ei|[eE][+-]?\d+)?$/;

/** What the validation of the kind minds, given what the object was before. */
export function faultsOf(object: KubeObject, before: KubeObject | undefined): Cause[] {
  const causes: Cause[] = [];
  const mind = (field: string, message: string): void => {
    causes.push({ reason: 'FieldValueInvalid', message: `Invalid value: ${message}`, field });
  };
  const replicas = valueAt(object, '/spec/replicas');
  if (typeof replicas === 'number' && replicas < 0) {
    mind('spec.replicas', `${replicas}: must be greater than or equal to 0`);
  }
  for (const { container, place } of containersOf(object)) {
    const memory = valueAt(container, '/resources/limits/memory');
    if (memory !== undefined && !QUANTITY.test(String(memory))) {
      mind(`${place}.resources.limits.memory`, `"${memory}": quantities must match a regular expression`);
    }
    if (typeof valueAt(container, '/name') !== 'string') {
      causes.push({ reason: 'FieldValueRequired', message: 'Required value', field: `${place}.name` });
    }
  }
  if (before !== undefined) {
    for (const field of FIXED[object.kind] ?? []) {
      const path = `/${field.replaceAll('.', '/')}`;
      const same = JSON.stringify(valueAt(object, path)) === JSON.stringify(valueAt(before, path));
      if (!same) mind(field, 'field is immutable');
    }
  }
  return causes;
}

const FIXED: Readonly<Record<string, readonly string[]>> = {
  Deployment: ['spec.selector'],
  StatefulSet: ['spec.selector', 'spec.serviceName', 'spec.volumeClaimTemplates', 'spec.podManagementPolicy'],
  Workspace: ['resource.count'],
};

function containersOf(object: KubeObject): { readonly container: unknown; readonly place: string }[] {
  return (POD_PLACES[object.kind] ?? []).flatMap((place) => {
    const containers = valueAt(read(object, place), '/containers');
    const list = Array.isArray(containers) ? containers : [];
    return list.map((container, i) => ({ container, place: `${place}.containers[${i}]` }));
  });
}

function read(object: KubeObject, place: string): unknown {
  return valueAt(object, `/${place.replaceAll('.', '/')}`);
}

function isWords(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((word) => typeof word === 'string'));
}

function isEnv(value: unknown): boolean {
  const list = value === undefined ? [] : value;
  return (
    Array.isArray(list) &&
    list.every((one) => valueAt(one, '/value') === undefined || typeof valueAt(one, '/value') === 'string')
  );
}
