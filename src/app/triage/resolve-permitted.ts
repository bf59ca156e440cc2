import type { Permission } from '../../model/authorise.ts';
import type { PodCandidate, Unresolved } from '../../model/unresolved.ts';
import type { Cluster, PodQuery, PodResolution, PodTarget, ReadContext } from '../ports.ts';

type Permitted = {
  readonly kind: 'permitted';
  readonly target: PodTarget;
  readonly evidence: 'full' | 'verdict-only';
};

// Stands for a list of namespaces of which some may not be named.
const READABLE = 'the namespaces you can read here';

type May = (namespace: string) => Permission;

/** The pod that is meant, if it may be read. Unreadable namespaces are named only in refusals. */
export async function resolvePermitted(
  may: May,
  cluster: Cluster,
  query: PodQuery,
  context: ReadContext,
): Promise<Permitted | Unresolved> {
  if (query.namespace !== undefined) {
    const permission = may(query.namespace);
    if (permission.kind === 'refused') return permission;
  }
  const found = await cluster.resolve(query, context);
  const readable = (list: readonly PodCandidate[]) => list.filter(({ namespace }) => may(namespace).kind === 'allowed');
  switch (found.kind) {
    case 'found': {
      const permission = may(found.target.namespace);
      if (permission.kind === 'refused') return permission;
      return { kind: 'permitted', target: found.target, evidence: permission.evidence };
    }
    case 'ambiguous':
      return ambiguousAmong({ ...found, candidates: readable(found.candidates) }, query.pod, cluster.name);
    case 'not-found': {
      const named = found.searched.filter((namespace) => mayName(may, namespace));
      const searched = named.length === found.searched.length ? named : [READABLE];
      return { ...found, pod: query.pod, nearest: readable(found.nearest), searched, cluster: cluster.name };
    }
    case 'no-pods':
      if (may(found.namespace).kind === 'allowed') return { ...found, cluster: cluster.name };
      return { kind: 'not-found', pod: query.pod, nearest: [], searched: [READABLE], cluster: cluster.name };
    case 'outside':
      return {
        kind: 'refused',
        why: `oombot does not read namespace ${found.namespace}: it is not in \`clusters[].namespaces\`.`,
        next: 'Ask the platform team to add it there.',
      };
    case 'forbidden':
      return forbiddenFor(found, may, cluster.name);
  }
}

// The edge writes `all namespaces` where it searched without one.
function mayName(may: May, namespace: string): boolean {
  return namespace === 'all namespaces' || may(namespace).kind === 'allowed';
}

// Several pods, none of which may be read here, must answer like none.
function ambiguousAmong(
  found: Extract<PodResolution, { kind: 'ambiguous' }>,
  pod: string,
  cluster: string,
): Unresolved {
  if (found.candidates.length === 0) return { kind: 'not-found', pod, nearest: [], searched: [READABLE], cluster };
  return { ...found, cluster };
}

// Rule and manifest name their namespaces; where one of them may not be named here, they are said without.
function forbiddenFor(found: Extract<PodResolution, { kind: 'forbidden' }>, may: May, cluster: string): Unresolved {
  if (found.searched.every((namespace) => mayName(may, namespace))) return { ...found, cluster };
  return {
    kind: 'forbidden',
    searched: [READABLE],
    rule: 'get and list pods in the configured namespaces',
    cluster,
  };
}
