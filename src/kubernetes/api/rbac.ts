import type { Subject } from './identity.ts';

/** A right as RBAC words it: `verb` on `resource` (with its subresource) of an API group; without a namespace, in all of them. */
export type Rule = {
  readonly verb: 'get' | 'list' | 'watch' | 'patch' | 'create' | 'update' | 'impersonate';
  readonly group: string;
  readonly resource: string;
  readonly namespace: string | undefined;
  /** The one object that the right is limited to. */
  readonly name?: string;
};

/** `pods/log get in namespace llm`. */
export function sayRule(rule: Rule): string {
  const resource = rule.group === '' ? rule.resource : `${rule.resource}.${rule.group}`;
  const where = rule.namespace === undefined ? 'in the whole cluster' : `in namespace ${rule.namespace}`;
  return `${resource} ${rule.verb} ${where}`;
}

const READS = ['get', 'list', 'watch'];

/** Role and binding that grant a rule, ready for `kubectl apply -f -`. Rights that belong to no namespace get a ClusterRole. */
export function manifestFor(rule: Rule, subject: Subject | undefined): string {
  const wide = rule.namespace === undefined;
  const prefix = wide ? 'Cluster' : '';
  const name = `${READS.includes(rule.verb) ? 'oombot-read' : 'oombot-act'}-${rule.resource.replace(/[^a-z0-9]+/g, '-')}`;
  const only = rule.name === undefined ? '' : `, resourceNames: [${quote(rule.name)}]`;
  const metadata = wide
    ? `{ name: ${quote(name)} }`
    : `{ name: ${quote(name)}, namespace: ${quote(rule.namespace ?? '')} }`;
  return [
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${prefix}Role`,
    `metadata: ${metadata}`,
    'rules:',
    `  - { apiGroups: [${quote(rule.group)}], resources: [${quote(rule.resource)}], verbs: [${quote(rule.verb)}]${only} }`,
    '---',
    'apiVersion: rbac.authorization.k8s.io/v1',
    `kind: ${prefix}RoleBinding`,
    `metadata: ${metadata}`,
    `roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${prefix}Role, name: ${quote(name)} }`,
    'subjects:',
    `  - ${saySubject(subject)}`,
  ].join('\n');
}

function saySubject(subject: Subject | undefined): string {
  if (subject?.kind === 'ServiceAccount') {
    return `{ kind: ServiceAccount, name: ${quote(subject.name)}, namespace: ${quote(subject.namespace)} }`;
  }
  // Of a certificate or a plugin only the API server knows the name: `kubectl auth whoami` tells it.
  const name = subject?.name ?? 'REPLACE-WITH-THE-USER-OF-kubectl-auth-whoami';
  return `{ apiGroup: rbac.authorization.k8s.io, kind: User, name: ${quote(name)} }`;
}

function quote(text: string): string {
  return JSON.stringify(text);
}

/** A right that is missing: the first line says it, the rest grants it. */
export function missingRight(rule: Rule, subject: Subject | undefined): string {
  return `${sayRule(rule)}\n---\n${manifestFor(rule, subject)}`;
}
