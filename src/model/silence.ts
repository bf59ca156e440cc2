import { z } from 'zod';

/** A workload that nobody wants to hear of until `until`, epoch ms. It is still triaged when somebody asks. */
export const Silence = z.strictObject({
  id: z.string(),
  cluster: z.string(),
  namespace: z.string(),
  /** Without its kind. */
  workload: z.string(),
  until: z.number(),
  by: z.string(),
  reason: z.string(),
  at: z.number(),
});
export type Silence = z.infer<typeof Silence>;

type Place = { readonly cluster: string; readonly namespace: string; readonly workload: string };

/** The silence of a workload, given with or without its kind; the longest of several. */
export function silenceOf(silences: readonly Silence[], { cluster, namespace, workload }: Place): Silence | undefined {
  const name = workload.slice(workload.indexOf('/') + 1);
  return silences
    .filter((one) => one.cluster === cluster && one.namespace === namespace && one.workload === name)
    .toSorted((a, b) => b.until - a.until)[0];
}
