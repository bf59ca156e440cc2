import { z } from 'zod';

/** An alert as Alertmanager sends it. Times are epoch ms; `endsAt` counts only once it is resolved. */
export type Alert = {
  /** Fingerprint and start: the same alert that fires again later is another one. */
  readonly key: string;
  readonly name: string;
  readonly status: 'firing' | 'resolved';
  readonly labels: Readonly<Record<string, string | undefined>>;
  readonly startsAt: number;
};

/** An alert or a death that started a triage or joined one; a death is resolved when it happens. Times are epoch ms. */
export const TakenAlert = z.strictObject({
  key: z.string(),
  name: z.string(),
  cluster: z.string(),
  namespace: z.string(),
  /** What its labels name: a pod, or a workload. */
  subject: z.string(),
  /** The workload as the name of the pod shows it; alerts with the same one belong together. */
  workload: z.string(),
  conversation: z.string(),
  triageId: z.string(),
  firedAt: z.number(),
  /** When Alertmanager sent it last: it repeats what still fires every few hours. */
  seenAt: z.number(),
  resolvedAt: z.number().nullable(),
  /** When the thread was told that it is resolved. */
  toldAt: z.number().nullable(),
});
export type TakenAlert = z.infer<typeof TakenAlert>;
