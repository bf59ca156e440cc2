import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { deathTime } from '../../read/cluster/death.ts';
import { firstOf, type PodEvidence } from '../../read/cluster/gather.ts';
import { meaningOf } from '../../read/metrics/metric-meaning.ts';
import { CLOCK_SKEW_MS } from '../../read/text/when.ts';
import { readFreeRow } from '../../read/tools/free.ts';
import { factOf } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { tailLines } from '../log/tail-lines.ts';

type Reading = Cited<number> & { readonly at: number | undefined };

/** The readings of one source in their order; `host` is what tells the node apart from others, where anything does. */
type Course = { readonly host: string; readonly readings: readonly Reading[] };

/**
 * What was left of the node's memory when the engine failed: the lowest of the minutes before, or where nothing bears a time,
 * the last reading. Of several nodes that of the pod; where nothing tells which that is, none.
 */
export function nodeAvailable(evidence: Evidence): Fact | undefined {
  const died = deathTime(evidence.death);
  const near = ofNode([...columns(evidence), ...samples(evidence), ...figures(evidence)], evidence)
    .concat(freeRows(evidence))
    .flatMap(({ readings }) => lowest(readings, died) ?? []);
  return factOf(near.toSorted((a, b) => a.value - b.value)[0]);
}

// Of the node: what is left on a card or in a container has another name before it.
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

function figures({ metrics, pod }: Evidence): readonly Course[] {
  // A node may be called `gpu-1`, which is no card.
  const bare = (label: string) => label.replace(nodeOf(pod) ?? '', '');
  const told = (metrics?.figures ?? []).filter(({ label, unit }) => unit === 'bytes' && AVAILABLE.test(bare(label)));
  const byHost = Map.groupBy(told, ({ label }) => label.slice(0, label.search(NAMED)).trim());
  return [...byHost].map(([host, readings]) => ({ host, readings }));
}

// The name itself, without what stands before it.
const NAMED = /\S*mem(?:ory)?[._]?available/i;

function nodeOf(pod: PodEvidence): string | undefined {
  return firstOf(pod, (view) => view.node)?.value;
}

function freeRows({ log }: Evidence): readonly Course[] {
  return log.notes.map((note) => ({
    host: '',
    readings: tailLines(note).flatMap((from) => {
      const row = readFreeRow(from.text);
      return row === undefined ? [] : [{ value: row.available, from, at: undefined }];
    }),
  }));
}

function ofNode(courses: readonly Course[], { pod }: Evidence): readonly Course[] {
  const hosts = new Set(courses.map(({ host }) => host));
  if (hosts.size < 2) return courses;
  const node = nodeOf(pod);
  return node === undefined ? [] : courses.filter(({ host }) => host.split(/[\s:,/]+/).includes(node));
}

const BEFORE_MS = 10 * 60_000;
const DAY_MS = 86_400_000;

function lowest(readings: readonly Reading[], died: number | undefined): Reading | undefined {
  const last = readings.at(-1);
  if (last?.at === undefined || readings.some(({ at }) => at === undefined)) return last;
  const end = died ?? last.at;
  const near = readings.filter(({ at = 0 }) => {
    const before = isOfDay(at) ? (end % DAY_MS) - at : end - at;
    return before <= BEFORE_MS && before >= -CLOCK_SKEW_MS;
  });
  return near.toSorted((a, b) => a.value - b.value)[0];
}

// A time without its date counts from midnight.
function isOfDay(at: number): boolean {
  return at < DAY_MS;
}
