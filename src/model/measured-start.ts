import { z } from 'zod';

/** A start whose printed KV pool was compared with its estimate. */
export const MeasuredStart = z.strictObject({
  /** The pod that started, by its uid. */
  id: z.string(),
  cluster: z.string(),
  engine: z.string(),
  version: z.string().nullable(),
  /** The GPU, as its label names it. */
  product: z.string().nullable(),
  model: z.string().nullable(),
  /** Estimate minus printed pool of one GPU. */
  errorBytes: z.number(),
  /** Epoch ms. */
  at: z.number(),
});
export type MeasuredStart = z.infer<typeof MeasuredStart>;
