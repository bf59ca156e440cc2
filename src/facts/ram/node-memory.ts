import type { Cited } from '../../model/engine-reader.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { firstOf } from '../../read/cluster/gather.ts';
import { meaningOf } from '../../read/metrics/metric-meaning.ts';
import { CLOCK_SKEW_MS } from '../../read/text/when.ts';
import { defineFacts } from '../evidence/define.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { factOf } from '../log/draft.ts';
import { NODE } from '../log/needs.ts';

/** The memory of the node. */
export const NODE_MEMORY = defineFacts(
  {
    'node.memory-allocatable': { unit: 'bytes', says: 'allocatable memory of the node', needs: NODE },
    'node.memory-available': {
      unit: 'bytes',
      says: 'memory left on the node, by the last reading before the failure',
      needs: 'the memory of the node over time (Prometheus, or metrics.txt)',
    },
  },
  (evidence) => ({
    'node.memory-allocatable': evidence.node?.allocatableMemory,
    'node.memory-available': factOf(availableBefore(evidence)),
  }),
);

type Reading = Cited<number> & { readonly at: number | undefined };

/** The readings of one source in their order; `host` is what tells the node apart from others, where anything does. */
type Course = { readonly host: string; readonly readings: readonly Reading[] };

// The lowest of the minutes before the failure, or where nothing bears a time, the last reading. Of several nodes that of the
// pod; where nothing tells which that is, none.
function availableBefore(evidence: Evidence): Cited<number> | undefined {
  const died = deathTime(evidence.death);
  const courses = ofNode([...columns(evidence), ...samples(evidence)], evidence);
  return minimum(courses.flatMap(({ readings }) => lowest(readings, died) ?? []));
}

// Of the node: what is left on a GPU or in a container has another name before it.
const AVAILABLE = /^(?!.*(?:gpu|device|cuda|vram|container|pod)).*mem(?:ory)?[._]?available/i;

function columns({ metrics }: Evidence): readonly Course[] {
  return (metrics?.series ?? [])
    .filter(({ id, unit }) => unit === 'bytes' && AVAILABLE.test(id))
    .map(({ labels, timed, points }) => ({
      host: Object.values(labels).join(' '),
      readings: points.map(({ at, ...point }) => ({ ...point, at: timed ? at : undefined })),
    }));
}

// Scraped once. What was scraped again and again is a column.
function samples({ metrics }: Evidence): readonly Course[] {
  const own = (metrics?.samples ?? []).filter(
    ({ name, labels, value }) => meaningOf(name, labels)?.id === 'node.memory.available' && Number.isFinite(value),
  );
  const hosts = Map.groupBy(own, ({ labels }) => Object.values(labels).join(' '));
  return [...hosts]
    .filter(([, group]) => group.length === 1)
    .map(([host, readings]) => ({ host, readings: readings.map(({ value, from, at }) => ({ value, from, at })) }));
}

function ofNode(courses: readonly Course[], { pod }: Evidence): readonly Course[] {
  const hosts = new Set(courses.map(({ host }) => host));
  if (hosts.size < 2) return courses;
  const node = firstOf(pod, (view) => view.node)?.value;
  return node === undefined ? [] : courses.filter(({ host }) => host.split(/[\s:,/]+/).includes(node));
}

const BEFORE_MS = 10 * 60_000;
const DAY_MS = 86_400_000;

function lowest(readings: readonly Reading[], died: number | undefined): Reading | undefined {
  const last = readings.at(-1);
  if (last?.at === undefined || readings.some(({ at }) => at === undefined)) return last;
  const end = died ?? last.at;
  const near = readings.filter(({ at = 0 }) => {
    // A time without its date counts from midnight.
    const before = at < DAY_MS ? (end % DAY_MS) - at : end - at;
    return before <= BEFORE_MS && before >= -CLOCK_SKEW_MS;
  });
  return minimum(near);
}

function minimum<T extends Cited<number>>(readings: readonly T[]): T | undefined {
  return readings.toSorted((a, b) => a.value - b.value)[0];
}
