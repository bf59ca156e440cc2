import { z } from 'zod';
import type { PodCandidate } from '../../model/unresolved.ts';
import { nextOf } from '../api/objects.ts';
import { guessWorkload } from './pod-name.ts';

/** Asks for the table that `kubectl get pods` prints: a tenth of the bytes of whole pods. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** A pod as a row of that table. `createdAt` is epoch ms, 0 where it is not told. A row without its object has no uid, and its workload is guessed from its name. */
export type PodRow = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: number;
  readonly status: string;
  readonly ready: string;
  readonly restarts: number;
  /** How long ago the last restart was, where it is told. */
  readonly restartedMs: number | undefined;
  readonly workload: Workload;
};

/** The owner as far as the pod itself tells. */
export type Workload = { readonly kind: string; readonly name: string };

const Owner = z.looseObject({ kind: z.string(), name: z.string(), controller: z.boolean().optional() });
const Metadata = z.looseObject({
  name: z.string(),
  namespace: z.string().default(''),
  uid: z.string().default(''),
  creationTimestamp: z.string().nullish(),
  labels: z.record(z.string(), z.string()).default({}),
  ownerReferences: z.array(Owner).default([]),
});

const Table = z.looseObject({
  columnDefinitions: z.array(z.looseObject({ name: z.string() })),
  rows: z
    .array(z.looseObject({ cells: z.array(z.unknown()), object: z.looseObject({ metadata: Metadata }).nullish() }))
    .nullish()
    .transform((rows) => rows ?? []),
});

/** `next` is where the list goes on; undefined where these are all. */
export type PodTable = { readonly rows: readonly PodRow[]; readonly next: string | undefined };

/** The rows of a table of pods; undefined where the answer is none. Rows without their objects are of `namespace`. */
export function parsePodTable(body: unknown, namespace = ''): PodTable | undefined {
  const table = Table.safeParse(body);
  if (!table.success) return undefined;
  const columns = table.data.columnDefinitions.map(({ name }) => name.toLowerCase());
  const rows = table.data.rows.map(({ cells, object }): PodRow => {
    const cell = (name: string) => String(cells[columns.indexOf(name)] ?? '');
    const name = object?.metadata.name ?? cell('name');
    return {
      namespace: object?.metadata.namespace ?? namespace,
      name,
      uid: object?.metadata.uid ?? '',
      createdAt: object ? Date.parse(object.metadata.creationTimestamp ?? '') || 0 : -msOf(cell('age')),
      status: cell('status'),
      ready: cell('ready'),
      // `3 (5m ago)`
      restarts: Number.parseInt(cell('restarts'), 10) || 0,
      restartedMs: agoIn(cell('restarts')),
      workload: object ? workloadOf(object.metadata) : { kind: 'Pod', name: guessWorkload(name) },
    };
  });
  return { rows, next: nextOf(body) };
}

const UNITS: Readonly<Record<string, number>> = {
  y: 365 * 86_400_000,
  d: 86_400_000,
  h: 3_600_000,
  m: 60_000,
  s: 1000,
};

// `2d3h`: an age as kubectl prints it.
function msOf(age: string): number {
  return [...age.matchAll(/(\d+)([ydhms])/g)].reduce((ms, [, n, unit = '']) => ms + Number(n) * (UNITS[unit] ?? 0), 0);
}

function agoIn(restarts: string): number | undefined {
  const age = /\((\w+) ago\)/.exec(restarts)?.[1];
  return age === undefined ? undefined : msOf(age);
}

/** From labels and owner references: the ReplicaSet of a Deployment stands for the Deployment. */
function workloadOf({ name: own, labels, ownerReferences }: z.infer<typeof Metadata>): Workload {
  const group = labels['leaderworkerset.sigs.k8s.io/name'];
  if (group !== undefined) return { kind: 'LeaderWorkerSet', name: group };
  const owner = ownerReferences.find(({ controller }) => controller) ?? ownerReferences[0];
  if (owner === undefined) return { kind: 'Pod', name: own };
  const { kind, name } = owner;
  const hash = labels['pod-template-hash'];
  if (kind === 'ReplicaSet' && hash !== undefined && name.endsWith(`-${hash}`)) {
    return { kind: 'Deployment', name: name.slice(0, -hash.length - 1) };
  }
  return { kind, name };
}

const FAILED = /OOMKilled|BackOff|Err|Evicted|ExitCode|Signal|Unknown|Lost/;

/** Ended for good, or about to: no pod that serves or could. */
export function isOver({ status }: PodRow): boolean {
  return ['Completed', 'Succeeded', 'Evicted', 'Terminating'].includes(status);
}

export function isReady({ status, ready }: Pick<PodRow, 'status' | 'ready'>): boolean {
  const [up = '', all = ''] = ready.split('/');
  return status === 'Running' && up === all;
}

// 3 has failed, 2 is not up, 1 has restarted or goes away, 0 is well.
function badness({ status, ready, restarts }: PodRow): number {
  if (FAILED.test(status)) return 3;
  if (status === 'Completed' || status === 'Succeeded') return 0;
  if (status === 'Terminating') return 1;
  if (!isReady({ status, ready })) return 2;
  return restarts > 0 ? 1 : 0;
}

/** The worst first, of equals the newest. */
export function worstFirst(rows: readonly PodRow[]): PodRow[] {
  return rows
    .map((row) => ({ row, bad: badness(row) }))
    .toSorted((a, b) => b.bad - a.bad || b.row.createdAt - a.row.createdAt || (a.row.name < b.row.name ? -1 : 1))
    .map(({ row }) => row);
}

export function toCandidate(row: PodRow): PodCandidate {
  const restarts = row.restarts === 0 ? '' : `, ${row.restarts} ${row.restarts === 1 ? 'restart' : 'restarts'}`;
  return { namespace: row.namespace, pod: row.name, state: `${row.status}, ${row.ready} ready${restarts}` };
}
