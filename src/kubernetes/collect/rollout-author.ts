import { z } from 'zod';

const Managed = z.looseObject({
  metadata: z.looseObject({
    labels: z.record(z.string(), z.unknown()).optional(),
    annotations: z.record(z.string(), z.unknown()).optional(),
    managedFields: z
      .array(
        z.looseObject({
          manager: z.string(),
          time: z.string().optional(),
          subresource: z.string().optional(),
          fieldsV1: z.looseObject({ 'f:spec': z.record(z.string(), z.unknown()).optional() }).optional(),
        }),
      )
      .default([]),
  }),
});

/** Who has written the pod template of a workload, and who manages it by its own labels. */
export type Authors = {
  readonly writers: readonly { readonly name: string; readonly at: number }[];
  readonly manager: string | undefined;
};

const TEMPLATES = ['f:template', 'f:leaderWorkerTemplate'];

/** Reads the authors of an object as the API server answers it. */
export function readAuthors(object: unknown): Authors {
  const { metadata } = Managed.safeParse(object).data ?? {};
  const entries = metadata?.managedFields ?? [];
  const writers = entries.filter(
    ({ subresource, fieldsV1 }) =>
      (subresource ?? '') === '' && TEMPLATES.some((one) => fieldsV1?.['f:spec']?.[one] !== undefined),
  );
  return {
    writers: writers.map(({ manager, time }) => ({ name: nameOf(manager), at: Date.parse(time ?? '') })),
    manager: managerOf({ ...metadata?.labels }, { ...metadata?.annotations }),
  };
}

// The API server writes both times within a second or two.
const TOGETHER_MS = 120_000;

/** Who made the revision of this time (ISO 8601); undefined where nothing tells. */
export function authorOf({ writers, manager }: Authors, createdAt: unknown): string | undefined {
  const at = Date.parse(String(createdAt));
  const near = writers.filter((one) => Math.abs(one.at - at) <= TOGETHER_MS);
  const [first, second] = near.length > 0 ? near.toSorted((a, b) => b.at - a.at) : writers;
  const isClear = first !== undefined && (near.length > 0 || second === undefined);
  return isClear ? first.name : manager;
}

/** When the template was last written after this time (both ISO 8601); undefined where nothing tells: a manager that writes what it has written before keeps its time. */
export function lastWriteAfter({ writers }: Authors, time: unknown): string | undefined {
  const after = Date.parse(String(time));
  const last = Math.max(...writers.map(({ at }) => at).filter((at) => at > after));
  return Number.isFinite(last) ? new Date(last).toISOString() : undefined;
}

const NAMES: readonly (readonly [RegExp, string])[] = [
  [/^argocd/, 'Argo CD'],
  [/^(?:kustomize|helm)-controller$/, 'Flux'],
  [/^kubectl/, 'kubectl'],
  [/^(?:vpa|vertical-pod-autoscaler)/, 'VerticalPodAutoscaler'],
  [/^keda/, 'KEDA'],
  [/^helm$/i, 'helm'],
];

const LONGEST = 40;

function nameOf(manager: string): string {
  return NAMES.find(([pattern]) => pattern.test(manager))?.[1] ?? manager.slice(0, LONGEST);
}

type Texts = Readonly<Record<string, unknown>>;

function managerOf(labels: Texts, annotations: Texts): string | undefined {
  const has = (prefix: string) => Object.keys({ ...labels, ...annotations }).some((key) => key.startsWith(prefix));
  if (has('argocd.argoproj.io/')) return 'Argo CD';
  if (has('kustomize.toolkit.fluxcd.io/') || has('helm.toolkit.fluxcd.io/')) return 'Flux';
  const by = labels['app.kubernetes.io/managed-by'];
  return typeof by === 'string' && by !== '' ? nameOf(by) : undefined;
}
