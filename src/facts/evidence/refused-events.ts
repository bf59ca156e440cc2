import type { LogReading } from '../../model/log-reading.ts';
import type { DeathClass } from '../../read/cluster/classify-death.ts';
import type { EventView } from '../../read/cluster/container-states.ts';
import type { PodEvidence } from '../../read/cluster/gather.ts';
import { unsaid } from '../log/tail-lines.ts';

/**
 * The readings without what is made of rows of an events table by their words alone, where a reader weighed them with their
 * age, their pod and their container and refused them: those of other pods, and those of a placement, an eviction or a probe
 * that were not the end.
 */
export function withoutRefusedEvents(
  logs: readonly LogReading[],
  { events, others }: Pick<PodEvidence, 'events' | 'others'>,
  kubernetes: DeathClass,
): readonly LogReading[] {
  const isRefused = refusedBy(kubernetes);
  const refused = [...others, ...events.filter(isRefused)];
  const silent = [...others, ...events.filter(({ reason }) => isRefused({ reason }) || reason.value === SHORT_OF_ROOM)];
  return logs.map((log) => unsaid({ ...log, hits: without(log, refused) }, rowsIn(log, silent)));
}

// `2 Insufficient nvidia.com/gpu` counts devices that are taken, and is no shortage of their memory.
const SHORT_OF_ROOM = 'FailedScheduling';

function refusedBy({ pending, evicted, probeKilled }: DeathClass): (event: Pick<EventView, 'reason'>) => boolean {
  const taken = new Map([
    [SHORT_OF_ROOM, pending.kind === 'known' && pending.value],
    ['Evicted', evicted.kind === 'known' && evicted.value !== 'no'],
    ['Killing', probeKilled.kind === 'known' && probeKilled.value],
  ]);
  return ({ reason }) => taken.get(reason.value) === false;
}

function without(log: LogReading, events: readonly EventView[]): LogReading['hits'] {
  const rows = rowsIn(log, events);
  return rows.size === 0 ? log.hits : log.hits.filter((hit) => !rows.has(hit.line));
}

function rowsIn({ file }: LogReading, events: readonly EventView[]): ReadonlySet<number> {
  const places = events.map(({ reason }) => reason.from);
  return new Set(places.flatMap((from) => (from.kind === 'line' && from.file === file ? [from.line] : [])));
}
