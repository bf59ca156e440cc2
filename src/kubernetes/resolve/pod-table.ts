import { z } from 'zod';
import type { PodCandidate } from '../../model/unresolved.ts';

/** Asks for the table that `kubectl get pods` prints: a tenth of the bytes of whole pods. */
export const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** A pod as a row of that table. `createdAt` is epoch ms, 0 where it is not told. */
export type PodRow = {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly createdAt: number;
  readonly status: string;
  readonly ready: string;
  readonly restarts: number;
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
  metadata: z.looseObject({ continue: z.string().optional() }).optional(),
  columnDefinitions: z.array(z.looseObject({ name: z.string() })),
  rows: z
    .array(z.looseObject({ cells: z.array(z.unknown()), object: z.looseObject({ metadata: Metadata }) }))
    .nullish()
    .transform((rows) => rows ?? []),
});

export type PodTable = { readonly rows: readonly PodRow[]; readonly complete: boolean };

/** The rows of a table of pods; undefined where the answer is none. */
export function parsePodTable(body: unknown): PodTable | undefined {
  const table = Table.safeParse(body);
  if (!table.success) return undefined;
  const columns = table.data.columnDefinitions.map(({ name }) => name.toLowerCase());
  const rows = table.data.rows.map(({ cells, object: { metadata } }) => {
    const cell = (name: string) => String(cells[columns.indexOf(name)] ?? '');
    return {
      namespace: metadata.namespace,
      name: metadata.name,
      uid: metadata.uid,
      createdAt: Date.parse(metadata.creationTimestamp ?? '') || 0,
      status: cell('status'),
      ready: cell('ready'),
      // `3 (5m ago)`
      restarts: Number.parseInt(cell('restarts'), 10) || 0,
      workload: workloadOf(metadata),
    };
  });
  return { rows, complete: !table.data.metadata?.continue };
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

export function isBad({ status, ready, restarts }: PodRow): boolean {
  if (status === 'Completed' || status === 'Succeeded') return false;
  const [up = '', all = ''] = ready.split('/');
  return status !== 'Running' || up !== all || restarts > 0;
}

/** Bad ones first, then the newest. */
export function worstFirst(rows: readonly PodRow[]): PodRow[] {
  return rows.toSorted(
    (a, b) => Number(isBad(b)) - Number(isBad(a)) || b.createdAt - a.createdAt || (a.name < b.name ? -1 : 1),
  );
}

export function toCandidate(row: PodRow): PodCandidate {
  const restarts = row.restarts === 0 ? '' : `, ${row.restarts} ${row.restarts === 1 ? 'restart' : 'restarts'}`;
  return { namespace: row.namespace, pod: row.name, state: `${row.status}, ${row.ready} ready${restarts}` };
}
