import { z } from 'zod';
import { parseJson } from '../model/json-file.ts';
import type { NotRead } from '../model/snapshot.ts';

export type Reason = NotRead['reason'];

/** A series as Prometheus gives it. Points `[epoch ms, value]` in time order; what is not finite is left out. */
export type RawSeries = {
  readonly labels: Readonly<Record<string, string>>;
  readonly points: readonly (readonly [number, number])[];
};

export type Answer =
  | { readonly kind: 'series'; readonly series: readonly RawSeries[]; readonly warnings: readonly string[] }
  | { readonly kind: 'none'; readonly reason: Reason; readonly detail: string };

const Pair = z.tuple([z.number(), z.string()]);
const Labels = z.record(z.string(), z.string());
const Success = z.object({
  status: z.literal('success'),
  warnings: z.array(z.string()).optional().catch(undefined),
  data: z.discriminatedUnion('resultType', [
    z.object({
      resultType: z.literal('matrix'),
      result: z.array(z.object({ metric: Labels, values: z.array(Pair).optional() })),
    }),
    z.object({
      resultType: z.literal('vector'),
      result: z.array(z.object({ metric: Labels, value: Pair.optional() })),
    }),
  ]),
});
const Fault = z.object({ status: z.literal('error'), errorType: z.string(), error: z.string().catch('') });

/** Text of an answer with status 200 as series, or why there are none. Never throws. */
export function parseAnswer(text: string): Answer {
  const raw = parseJson(text);
  const success = Success.safeParse(raw);
  if (success.success) return { kind: 'series', ...readSuccess(success.data) };
  return faultOf(raw) ?? { kind: 'none', reason: 'failed', detail: 'the answer is not one of the Prometheus API' };
}

function readSuccess({ data, warnings }: z.infer<typeof Success>) {
  const series =
    data.resultType === 'matrix'
      ? data.result.map(({ metric, values }) => ({ labels: metric, points: pointsOf(values ?? []) }))
      : data.result.map(({ metric, value }) => ({ labels: metric, points: pointsOf(value ? [value] : []) }));
  return { series, warnings: (warnings ?? []).map(clip) };
}

function pointsOf(values: readonly z.infer<typeof Pair>[]): RawSeries['points'] {
  return values
    .map(([at, value]) => [Math.round(at * 1000), numberOf(value)] as const)
    .filter(([at, value]) => Number.isFinite(at) && Number.isFinite(value))
    .sort(([a], [b]) => a - b);
}

// Number('') is 0: an empty value is none.
function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}

/** The fault that Prometheus reports in a body, if the body is its own. */
export function faultIn(text: string): Extract<Answer, { kind: 'none' }> | undefined {
  return faultOf(parseJson(text));
}

const REASONS: Readonly<Record<string, Reason>> = {
  timeout: 'deadline',
  canceled: 'deadline',
  unavailable: 'unreachable',
};

function faultOf(raw: unknown): Extract<Answer, { kind: 'none' }> | undefined {
  const fault = Fault.safeParse(raw);
  if (!fault.success) return undefined;
  const { errorType, error } = fault.data;
  return { kind: 'none', reason: REASONS[errorType] ?? 'failed', detail: clip(`Prometheus: ${errorType}: ${error}`) };
}

function clip(text: string): string {
  return text.length > 200 ? `${text.slice(0, 199)}…` : text;
}
