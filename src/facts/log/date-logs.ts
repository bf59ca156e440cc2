import type { Hit, LogReading } from '../../model/log-reading.ts';
import { parseLogName } from '../../model/snapshot.ts';
import type { StateView } from '../../read/cluster/container-states.ts';
import type { DeathReading } from '../../read/cluster/death.ts';
import { cleanLine, nearestTime } from '../../read/log/clean-line.ts';
import { CLOCK_SKEW_MS } from '../../read/text/when.ts';
import { isOfRunBefore } from './run-of-log.ts';

type Span = { readonly from: number; readonly to: number };

/**
 * Logs whose lines bear no year (vLLM: `INFO 07-10 10:00:00`) with the year of the pod's own times. Only where that is
 * beyond doubt: all lines lie in the life of the instance that wrote them, and one near its start or end, so that a clock
 * of another time zone shows.
 */
export function dateLogs(logs: readonly LogReading[], death: DeathReading, takenAt?: number): readonly LogReading[] {
  if (death.kind === 'none') return logs;
  const { view, container } = death.death;
  const spans = { current: spanOf(view.state, takenAt), previous: spanOf(view.lastState, takenAt) };
  return logs.map((log) => {
    const name = parseLogName(log.file);
    const isOwn = name !== undefined && (name.container === undefined || name.container === container);
    const span = isOwn ? spans[name.instance] : undefined;
    return span === undefined ? log : dateLog(log, span);
  });
}

function spanOf(state: StateView | undefined, takenAt: number | undefined): Span | undefined {
  if (state === undefined || state.kind === 'waiting') return undefined;
  const from = state.startedAt?.value;
  const to = state.kind === 'terminated' ? state.finishedAt?.value : takenAt;
  return from === undefined || to === undefined || to < from ? undefined : { from, to };
}

// No time zone is as near to another.
const NEAR_MS = 10 * 60_000;

function dateLog(log: LogReading, span: Span): LogReading {
  if (log.firstAt !== undefined) return log;
  const inYear = (all: readonly Hit[]) => all.map((hit) => dated(hit, span.to));
  const [hits, outlived] = [inYear(log.hits), inYear(log.outlived ?? [])];
  const times = hits.flatMap(({ at }) => at ?? []);
  const isInside = times.every((at) => at >= span.from - CLOCK_SKEW_MS && at <= span.to + CLOCK_SKEW_MS);
  const isTied = times.some((at) => at - span.from <= NEAR_MS || span.to - at <= NEAR_MS);
  const isBefore = parseLogName(log.file)?.instance === 'previous' && isOfRunBefore(log, span, span.to);
  return (isInside && isTied) || isBefore ? { ...log, hits, outlived } : log;
}

function dated(hit: Hit, anchor: number): Hit {
  const { head } = cleanLine(hit.text);
  return head === undefined || hit.at !== undefined ? hit : { ...hit, at: nearestTime(head, anchor) };
}
