import { z } from 'zod';

const gib = z.number().nullish();
const count = z.number().nullish();

/** One start of an engine, as its log printed it. Sizes in GiB of one GPU; null or absent where it was not printed. */
export const StartRecord = z.looseObject({
  id: z.string().min(1),
  engine: z.string().min(1),
  version: z.coerce.string().nullish(),
  model: z.string().nullish(),
  /** Parameters in billions, for a model whose name does not tell. */
  params_b: gib,
  quantization: z.string().nullish(),
  gpu: z.string(),
  gpu_total_gib: gib,
  tp: count,
  pp: count,
  /** Arguments as typed. */
  args: z.string().nullish(),
  weights_gib: gib,
  kv_gib: gib,
  kv_tokens: count,
  max_model_len: count,
  started: z.boolean().nullish(),
  refusal: z.looseObject({ kind: z.string(), needed_gib: gib, available_gib: gib }).nullish(),
  notes: z.string().nullish(),
});
export type StartRecord = z.infer<typeof StartRecord>;
