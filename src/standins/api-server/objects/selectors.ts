import { valueAt } from '../../../model/json-patch.ts';
import type { KubeObject } from './world.ts';

/** Whether the labels satisfy a selector as the API reads it, of the forms in use: `a=b,c!=d,j,!k`. */
export function matchesLabels(selector: string, labels: Readonly<Record<string, string>> = {}): boolean {
  const terms = selector.split(',').filter((term) => term !== '');
  return terms.every((term) => matchesTerm(term, labels));
}

function matchesTerm(term: string, labels: Readonly<Record<string, string>>): boolean {
  const pair = /^([^!=\s]+)\s*(==|=|!=)\s*(.*)$/.exec(term);
  if (pair !== null) {
    const equal = labels[pair[1] ?? ''] === pair[3];
    return pair[2] === '!=' ? !equal : equal;
  }
  return term.startsWith('!') ? !(term.slice(1) in labels) : term in labels;
}

// What the API server itself allows; anything else is 400 there and here.
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  Pod: ['spec.nodeName', 'status.phase', 'status.podIP'],
  Event: [
    'involvedObject.kind',
    'involvedObject.namespace',
    'involvedObject.name',
    'involvedObject.uid',
    'involvedObject.fieldPath',
    'reason',
    'type',
  ],
};

/** The field that a selector names and the API server does not index; undefined where all is well. */
export function unknownField(kind: string, selector: string): string | undefined {
  const known = ['metadata.name', 'metadata.namespace', ...(FIELDS[kind] ?? [])];
  return fieldTerms(selector)
    .map(([field]) => field)
    .find((field) => !known.includes(field));
}

export function matchesFields(selector: string, object: KubeObject): boolean {
  return fieldTerms(selector).every(([field, wanted, isEqual]) => {
    const value = valueAt(object, `/${field.replaceAll('.', '/')}`) ?? '';
    return (value === wanted) === isEqual;
  });
}

function fieldTerms(selector: string): (readonly [field: string, wanted: string, isEqual: boolean])[] {
  return selector
    .split(',')
    .filter((term) => term !== '')
    .map((term) => {
      const [, field = '', sign, wanted = ''] = /^([^!=]+)(!=|==?)(.*)$/.exec(term) ?? [];
      return [field, wanted, sign !== '!='];
    });
}
