import type { KubeObject } from './world.ts';

/** Whether the labels satisfy a selector as the API reads it: `a=b,c!=d,e in (f,g),h notin (i),j,!k`. */
export function matchesLabels(selector: string, labels: Readonly<Record<string, string>> = {}): boolean {
  return splitTerms(selector).every((term) => matchesTerm(term, labels));
}

// Commas inside brackets belong to their set.
function splitTerms(selector: string): string[] {
  return (selector.match(/[^,(]+(?:\([^)]*\))?/g) ?? []).map((term) => term.trim()).filter((term) => term !== '');
}

function matchesTerm(term: string, labels: Readonly<Record<string, string>>): boolean {
  const set = /^(\S+)\s+(in|notin)\s+\(([^)]*)\)$/.exec(term);
  if (set !== null) {
    const values = (set[3] ?? '').split(',').map((value) => value.trim());
    const has = values.includes(labels[set[1] ?? ''] ?? '\0');
    return set[2] === 'in' ? has : !has;
  }
  const pair = /^([^!=\s]+)\s*(==|=|!=)\s*(.*)$/.exec(term);
  if (pair !== null) {
    const equal = labels[pair[1] ?? ''] === pair[3];
    return pair[2] === '!=' ? !equal : equal;
  }
  return term.startsWith('!') ? !(term.slice(1) in labels) : term in labels;
}

// What the API server itself allows; anything else is 400 there and here.
const POD_FIELDS = [
  'metadata.name',
  'metadata.namespace',
  'spec.nodeName',
  'spec.restartPolicy',
  'spec.schedulerName',
  'spec.serviceAccountName',
  'status.phase',
  'status.podIP',
];
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: POD_FIELDS,
  Event: [
    'metadata.name',
    'metadata.namespace',
    'involvedObject.kind',
    'involvedObject.name',
    'involvedObject.namespace',
    'involvedObject.uid',
    'involvedObject.fieldPath',
    'reason',
    'type',
    'reportingComponent',
    'source',
  ],
};

/** The field that a selector names and the API server does not index; undefined where all is well. */
export function unknownField(kind: string, selector: string): string | undefined {
  const known = FIELDS[kind] ?? ['metadata.name', 'metadata.namespace'];
  return fieldTerms(selector)
    .map(([field]) => field)
    .find((field) => !known.includes(field));
}

export function matchesFields(selector: string, object: KubeObject): boolean {
  return fieldTerms(selector).every(([field, wanted, negated]) => (valueAt(object, field) === wanted) !== negated);
}

function fieldTerms(selector: string): [field: string, wanted: string, negated: boolean][] {
  return selector
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const match = /^([^!=]+)(==|=|!=)(.*)$/.exec(term);
      return [match?.[1] ?? term, match?.[3] ?? '', match?.[2] === '!='];
    });
}

function valueAt(object: KubeObject, field: string): string {
  let value: unknown = object;
  for (const part of field.split('.')) {
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[part] : undefined;
  }
  return typeof value === 'string' ? value : '';
}
