import type { PodQuery, ReadContext } from '../../app/ports.ts';
import { matchesAny } from '../../model/authorise.ts';
import { type KubeFailure, toError } from '../api/failure.ts';
import type { KubeHttp } from '../api/http.ts';
import { createLookUp, type Found, type LookUp, type Place } from './look-up.ts';
import type { PodRow, PodTable } from './pod-table.ts';

/** The first step of finding a pod: where it may be looked for, and who bears the very name. */
export type Search = {
  readonly look: LookUp;
  readonly exact: readonly PodRow[];
  /** Places that may be read. */
  readonly readable: readonly Place[];
  readonly denied: readonly KubeFailure[];
};

type Deps = { readonly namespaces: readonly string[]; readonly http: KubeHttp };

// Beyond this many namespaces one question to the whole cluster is cheaper than one to each.
const MAX_PLACES = 4;

export async function startSearch(deps: Deps, query: PodQuery, context: ReadContext): Promise<Search> {
  const look = createLookUp(deps.http, context);
  const places = query.namespace === undefined ? placesOf(deps.namespaces) : [query.namespace];
  const first = await searchExact(deps, look, places, query.pod);
  const wide = places.length === 1 && places[0] === undefined;
  if (!wide || first.readable.length > 0) return first;
  const narrow = await narrowPlaces(deps, context);
  if (narrow.length === 0) return first;
  const second = await searchExact(deps, look, narrow, query.pod);
  return { ...second, denied: [...first.denied, ...second.denied] };
}

function placesOf(patterns: readonly string[]): readonly Place[] {
  const named = namedOutright(patterns);
  return named !== undefined && named.length <= MAX_PLACES ? named : [undefined];
}

// Those who may not list the whole cluster mostly may read the namespace of their own context.
async function narrowPlaces({ namespaces, http }: Deps, context: ReadContext): Promise<readonly string[]> {
  const named = namedOutright(namespaces);
  if (named !== undefined) return named.slice(0, MAX_PLACES);
  const own = (await http.namespace(context)) ?? 'default';
  return matchesAny(namespaces, own) ? [own] : [];
}

async function searchExact(
  { namespaces }: Deps,
  look: LookUp,
  places: readonly Place[],
  name: string,
): Promise<Search> {
  const answers = await Promise.all(places.map((place) => look.pod(place, name)));
  const { rows, denied } = readablePlaces(answers);
  return {
    look,
    exact: rows.filter(({ namespace }) => matchesAny(namespaces, namespace)),
    readable: places.filter((_, i) => !isDenied(answers[i])),
    denied,
  };
}

function isDenied(answer: Found<unknown> | undefined): boolean {
  return answer?.kind === 'failed' && answer.failure.code === 'forbidden';
}

/** Rows of the answers, whether there are more, and the rights that were missing. A place that gives no answer for another reason is a fault, unless another has the pod. */
export function readablePlaces(answers: readonly Found<PodTable>[]) {
  const failures = answers.flatMap((answer) => (answer.kind === 'failed' ? [answer.failure] : []));
  const rows = answers.flatMap((answer) => (answer.kind === 'ok' ? answer.value.rows : []));
  const fault = failures.find(({ code, reason }) => code !== 'forbidden' && reason !== 'gone');
  if (fault !== undefined && rows.length === 0) throw toError(fault);
  const cut = answers.some((answer) => answer.kind === 'ok' && answer.value.next !== undefined);
  return { rows, cut, denied: failures.filter(({ code }) => code === 'forbidden') };
}

/** The namespaces, where all are named outright; undefined where a pattern leaves them open. */
export function namedOutright(patterns: readonly string[]): readonly string[] | undefined {
  return patterns.some((p) => p.includes('*')) ? undefined : patterns;
}
