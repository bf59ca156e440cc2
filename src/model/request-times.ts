import { z } from 'zod';

const unknown = z.strictObject({ kind: z.literal('unknown'), why: z.string().min(1) });

/** A quantile of a time, in ms. `atLeast`: it lies beyond the last bound of the histogram, which `ms` is. `lacks`: of whom nothing could be read. */
export const TimeQuantile = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('known'),
    ms: z.number(),
    atLeast: z.boolean(),
    requests: z.number(),
    lacks: z.string().nullable(),
  }),
  unknown,
]);
export type TimeQuantile = z.infer<typeof TimeQuantile>;

/** Between what, in ms, the time in the queue of short requests lies; `highMs` null where it has no upper end. `share` of all requests were short. */
export const ShortWait = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('known'),
    lowMs: z.number(),
    highMs: z.number().nullable(),
    share: z.number(),
    requests: z.number(),
    lacks: z.string().nullable(),
  }),
  unknown,
]);
export type ShortWait = z.infer<typeof ShortWait>;

export const RequestTimes = z.strictObject({
  ttftP99: TimeQuantile,
  latencyP99: TimeQuantile,
  shortWait: ShortWait,
});
export type RequestTimes = z.infer<typeof RequestTimes>;

/** What a verification is measured against: the hour before the incident (epoch ms), read before the first write. */
export const Baseline = z.strictObject({
  from: z.number(),
  to: z.number(),
  times: RequestTimes,
  /** Restarts in that hour of the engine that restarted most; absent if unknown. */
  restarts: z.int().min(0).optional(),
});
export type Baseline = z.infer<typeof Baseline>;
