import { z } from 'zod';

const JSON_FILES = [
  'incident.json',
  'pod.json',
  'events.json',
  'owners.json',
  'node.json',
  'siblings.json',
  'revisions.json',
  'autoscalers.json',
  'series.json',
  'config.json',
] as const;
const TEXT_FILES = ['args.txt', 'describe.txt', 'metrics.txt', 'nvidia-smi.txt', 'kernel.txt'] as const;
const CONTAINER = '[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?';
const LOG_FILE = new RegExp(`^(${CONTAINER}\\.)?(previous|current)\\.log$`);

/** A file of a snapshot folder: a fixed JSON or text file, or `[<container>.]previous.log`, `[<container>.]current.log`. */
export const FileName = z
  .string()
  .refine((name) => isFixed(name) || LOG_FILE.test(name), { error: 'is no file of a snapshot folder' });
export type FileName = z.infer<typeof FileName>;

export const FIXED_FILES: readonly string[] = [...JSON_FILES, ...TEXT_FILES];

/** Files that hold one object of Kubernetes each; the other JSON files hold lists, or are of our own form. */
export const ONE_OBJECT_FILES: readonly string[] = ['pod.json', 'node.json'];

/** The name of a file in a snapshot: its own, or that of the JSON for which YAML stands (`pod.yaml` -> `pod.json`); undefined for any other file. */
export function snapshotNameOf(name: string): string | undefined {
  return FileName.safeParse(name).success ? name : jsonNameOf(name);
}

function jsonNameOf(name: string): string | undefined {
  const json = name.replace(/\.ya?ml$/, '.json');
  return json !== name && (JSON_FILES as readonly string[]).includes(json) ? json : undefined;
}

function isFixed(name: string): boolean {
  return FIXED_FILES.includes(name);
}

export type LogName = { readonly container: string | undefined; readonly instance: 'previous' | 'current' };

/** `vllm.previous.log` -> `{ container: 'vllm', instance: 'previous' }`; undefined for a file that is no log. */
export function parseLogName(name: string): LogName | undefined {
  if (!LOG_FILE.test(name)) return undefined;
  const parts = name.split('.');
  const instance = parts.at(-2) === 'previous' ? 'previous' : 'current';
  return { container: parts.length === 3 ? parts[0] : undefined, instance };
}

export function logFileName(container: string | undefined, instance: 'previous' | 'current'): string {
  return container === undefined ? `${instance}.log` : `${container}.${instance}.log`;
}

/** Evidence that was wanted and is not in the snapshot, with the reason in words for the card. */
export const NotRead = z.strictObject({
  item: z.string().min(1),
  reason: z.enum([
    'forbidden',
    'gone',
    'budget',
    'deadline',
    'unreachable',
    'not-configured',
    'not-exposed',
    'empty',
    'stale',
    'failed',
  ]),
  detail: z.string(),
});
export type NotRead = z.infer<typeof NotRead>;

/** What was read of one container's log. Sizes in bytes; `totalBytes` null where the source did not tell. `cut` says in words what was left out. */
export const LogRead = z.strictObject({
  file: FileName,
  container: z.string(),
  previous: z.boolean(),
  readBytes: z.int().min(0),
  keptBytes: z.int().min(0),
  totalBytes: z.int().min(0).nullable(),
  parts: z.array(z.enum(['head', 'crash', 'mid', 'whole', 'message'])),
  cut: z.string().nullable(),
});
export type LogRead = z.infer<typeof LogRead>;

/** What a triage has cost. Times in ms; `chainMs` is the longest chain of dependent calls. */
export const ReadCost = z.strictObject({
  calls: z.int().min(0),
  logCalls: z.int().min(0),
  bytes: z.int().min(0),
  wallMs: z.number().min(0),
  chainMs: z.number().min(0),
});
export type ReadCost = z.infer<typeof ReadCost>;

/** How a snapshot was taken; stands in incident.json under `capture`. Times are epoch ms. */
export const Capture = z.strictObject({
  version: z.string(),
  takenAt: z.number(),
  cluster: z.string(),
  namespace: z.string(),
  pod: z.string(),
  podUid: z.string(),
  container: z.string().nullable(),
  workload: z.string(),
  replacedPod: z.string().nullable(),
  logs: z.array(LogRead),
  notRead: z.array(NotRead),
  cost: ReadCost,
});
export type Capture = z.infer<typeof Capture>;

const Gpu = z.looseObject({
  model: z.string().nullish(),
  count: z.number().nullish(),
  memory_gib: z.number().nullish(),
});

/** incident.json: what is known around the files. Folders made by hand may hold other keys, which are ignored. */
export const IncidentFile = z.object({
  id: z.string().optional(),
  engine: z.string().nullish(),
  engine_version: z.string().nullish(),
  gpu: Gpu.nullish(),
  kubernetes: z.boolean().nullish(),
  uptime: z.string().nullish(),
  capture: Capture.optional(),
});
export type IncidentFile = z.infer<typeof IncidentFile>;

/** One series of series.json: `id` as in the metric table, points `[epoch ms, value]` in time order, `query` as it was asked. */
export const Series = z.strictObject({
  id: z.string().min(1),
  unit: z.string(),
  labels: z.record(z.string(), z.string()),
  query: z.string(),
  points: z.array(z.tuple([z.number(), z.number()])),
});
export type Series = z.infer<typeof Series>;

/** series.json. A metric that was asked for and gave nothing stands in `unknown` with the reason. */
export const SeriesFile = z.strictObject({
  from: z.number(),
  to: z.number(),
  stepMs: z.number().positive(),
  series: z.array(Series),
  unknown: z.array(NotRead),
});
export type SeriesFile = z.infer<typeof SeriesFile>;

/** A snapshot that is wholly in memory: file name to redacted text. The only thing diagnosis sees. */
export const Snapshot = z.strictObject({
  id: z.string().min(1),
  files: z.record(FileName, z.string()),
});
export type Snapshot = z.infer<typeof Snapshot>;
