import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CelInput, isCelError } from '@bufbuild/cel';
import { parseAllDocuments } from 'yaml';
import { evaluate, toCel } from './cel.ts';

export type Policy = {
  readonly failurePolicy: string;
  readonly matchConstraints: { readonly resourceRules: readonly { readonly resources: readonly string[] }[] };
  readonly matchConditions: readonly { readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly { readonly message: string; readonly expression: string }[];
};

/** A write as an admission policy sees it. */
export type Review = { readonly object: unknown; readonly oldObject: unknown; readonly request: unknown };

const FOLDER = join(import.meta.dirname, '../../deploy/kubernetes');

type Rule = {
  readonly apiGroups: string[];
  readonly resources: string[];
  readonly verbs: string[];
  readonly resourceNames?: string[];
};
export type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly Rule[];
  readonly roleRef?: { readonly kind: string; readonly name: string };
  readonly subjects?: readonly { readonly name: string; readonly namespace: string }[];
  readonly spec?: Policy;
};

/** A file of what is shipped for Kubernetes, as text and as its objects. */
export const manifestText = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
export const manifestsIn = (name: string): Manifest[] =>
  parseAllDocuments(manifestText(name)).map((document) => document.toJS() as Manifest);

/** The policy that is shipped for the acting account. */
export function readPolicy(): Policy {
  const all = manifestsIn('acting/admission-policy.yaml');
  const found = all.find(({ kind }) => kind === 'ValidatingAdmissionPolicy')?.spec;
  if (found === undefined) throw new Error('no policy');
  return found;
}

/** What a policy minds of a write. As the API server: an error denies, also one in a variable that is used. */
export function deniedBy(policy: Policy, review: Review): string[] {
  const scope = { ...toCel(review), variables: {} as Record<string, CelInput> };
  for (const { name, expression } of policy.variables) {
    const value = evaluate(expression, scope);
    // Those that follow find that it is not there, which is an error of theirs.
    if (!isCelError(value)) scope.variables[name] = value;
  }
  return policy.validations
    .filter(({ expression }) => evaluate(expression, scope) !== true)
    .map(({ message }) => message);
}
