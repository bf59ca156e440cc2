import type { PodQuery, PodResolution, PodTarget, ReadContext } from '../../app/ports.ts';
import { matchesAny } from '../../model/authorise.ts';
import type { KubeHttp } from '../api/http.ts';
import { manifestFor, sayRule } from '../api/rbac.ts';
import { findByWorkload, findIdle } from './find-by-workload.ts';
import type { Found, LookUp, Place } from './look-up.ts';
import { matchRows, nearestTo, type RowMatch } from './match-rows.ts';
import { type PodRow, type PodTable, toCandidate, worstFirst } from './pod-table.ts';
import { readablePlaces, type Search, startSearch } from './search.ts';

export type ResolveDeps = {
  readonly cluster: string;
  readonly namespaces: readonly string[];
  readonly http: KubeHttp;
};

const MAX_CANDIDATES = 8;
const LIST_LIMIT = 250;

/**
 * The pod that a name means: that very pod, else by workload, else by prefix. At most three calls with a namespace, or
 * where the whole cluster may be searched, and three more where there are many pods. A list that was cut proves neither
 * that there is no such pod nor that only one is meant. Throws OomError where the cluster gives no answer at all.
 */
export async function resolvePod(deps: ResolveDeps, query: PodQuery, context: ReadContext): Promise<PodResolution> {
  if (query.namespace !== undefined && !matchesAny(deps.namespaces, query.namespace)) {
    return { kind: 'outside', namespace: query.namespace };
  }
  const search = await startSearch(deps, query, context);
  const [exact] = search.exact;
  if (search.exact.length > 1) return ambiguous(search.exact);
  if (exact !== undefined) return found(deps, query, exact, false);
  if (search.readable.length === 0) return refused(search);
  return (await byWorkload(deps, query, search)) ?? byList(deps, query, search);
}

// Only in one place: in several it would cost two calls in each.
async function byWorkload(deps: ResolveDeps, query: PodQuery, search: Search): Promise<PodResolution | undefined> {
  if (search.readable.length !== 1) return undefined;
  const allowed = (namespace: string) => matchesAny(deps.namespaces, namespace);
  const by = await findByWorkload(search.look, search.readable[0], query.pod, allowed);
  if (by.kind === 'none') return undefined;
  if (by.kind === 'no-pods') return { kind: 'no-pods', ...by.workload };
  const [worst] = worstFirst(by.rows);
  return worst === undefined ? undefined : found(deps, query, worst, by.replaced);
}

async function byList(deps: ResolveDeps, query: PodQuery, search: Search): Promise<PodResolution> {
  const answers = await Promise.all(search.readable.map((place) => listPods(search.look, place)));
  const { rows, cut, denied } = readablePlaces(answers);
  const own = rows.filter(({ namespace }) => matchesAny(deps.namespaces, namespace));
  // Those who may get a pod may yet not list pods.
  if (denied.length === answers.length) return refused({ ...search, denied });
  const match = matchRows(own, query.pod);
  const begins = own.filter(({ name }) => name.startsWith(query.pod));
  if (match.kind === 'one') {
    const row = await confirm(search.look, match, { cut, onlyOne: begins.length === 1 });
    if (row !== undefined) return found(deps, query, row, match.replaced);
  }
  const more = cut ? { searchedPods: rows.length } : {};
  const fit = match.kind === 'several' ? match.rows : begins;
  if (fit.length > 0) return { ...ambiguous(fit), ...more };
  const idle = await idleWorkload(deps, query, search);
  if (idle !== undefined) return { kind: 'no-pods', ...idle };
  return { kind: 'not-found', nearest: nearestTo(own, query.pod), searched: searchedIn(search), ...more };
}

function idleWorkload(deps: ResolveDeps, { pod }: PodQuery, { look, readable }: Search) {
  const allowed = (namespace: string) => matchesAny(deps.namespaces, namespace);
  return readable.length === 1 ? findIdle(look, readable[0], pod, allowed) : undefined;
}

/** The pods of a place: where the first are not all, all by their names and states. */
export async function listPods(look: LookUp, place: Place): Promise<Found<PodTable>> {
  const first = await look.pods(place, { limit: LIST_LIMIT });
  if (first.kind === 'failed' || first.value.next === undefined || place === undefined) return first;
  const states = await look.states(place);
  return states.kind === 'ok' ? states : first;
}

// A workload that was guessed from the name of a pod is the one that the pod itself names. Of a list that was cut, no prefix is unique.
async function confirm(
  look: LookUp,
  { row, by }: Extract<RowMatch, { kind: 'one' }>,
  { cut, onlyOne }: { cut: boolean; onlyOne: boolean },
): Promise<PodRow | undefined> {
  if (cut && by === 'prefix') return undefined;
  if (row.uid !== '') return row;
  const read = await look.pod(row.namespace, row.name);
  const real = read.kind === 'ok' ? read.value.rows[0] : undefined;
  return real?.workload.name === row.workload.name || (onlyOne && !cut) ? real : undefined;
}

function searchedIn({ readable }: Search): string[] {
  return readable.map((place) => place ?? 'all namespaces');
}

function found(deps: ResolveDeps, query: PodQuery, row: PodRow, replaced: boolean): PodResolution {
  const target: PodTarget = {
    cluster: deps.cluster,
    namespace: row.namespace,
    pod: row.name,
    uid: row.uid,
    container: query.container,
    workload: `${row.workload.kind}/${row.workload.name}`,
    replaced: replaced ? query.pod : null,
  };
  return { kind: 'found', target };
}

function ambiguous(rows: readonly PodRow[]): Extract<PodResolution, { kind: 'ambiguous' }> {
  return { kind: 'ambiguous', candidates: worstFirst(rows).slice(0, MAX_CANDIDATES).map(toCandidate) };
}

function refused({ denied }: Search): PodResolution {
  const rules = denied.flatMap(({ rule }) => (rule === undefined ? [] : [rule]));
  // The narrowest right is the one to ask for.
  const narrow = rules.find(({ namespace }) => namespace !== undefined) ?? rules[0];
  return {
    kind: 'forbidden',
    searched: [...new Set(rules.map(({ namespace }) => namespace ?? 'all namespaces'))],
    rule: [...new Set(rules.map(sayRule))].join('; '),
    ...(narrow !== undefined && { manifest: manifestFor(narrow, denied[0]?.subject) }),
  };
}
