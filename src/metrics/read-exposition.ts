import { appliesTo, canonicalOf, METRIC_IDS, type MetricId, seriesOf } from '../model/metric-table.ts';
import type { Missing, Reading, Window } from './reading.ts';
import { readSampleHead } from './sample-line.ts';

type KnownLine = { readonly line: string; readonly ids: readonly MetricId[]; readonly name: string };

const NOT_THERE: Missing = { reason: 'not-exposed', detail: 'the /metrics of the engine does not have it' };

/** The lines of an engine's /metrics that mean something here, each with a time (`at`, epoch ms). Never throws. */
export function readExposition(text: string, window: Window, at: number): Reading {
  const found: KnownLine[] = [];
  const names = new Map<MetricId, string>();
  for (const line of text.split('\n')) {
    const head = readSampleHead(line);
    if (head === undefined) continue;
    const meanings = canonicalOf(head.name).filter(({ series }) => appliesTo(series, head.labels));
    const name = meanings[0]?.series.name;
    if (name === undefined) continue;
    for (const { id } of meanings) names.set(id, newerOf(id, names.get(id), name));
    found.push({
      line: head.timed ? line.trimEnd() : `${line.trimEnd()} ${at}`,
      ids: meanings.map(({ id }) => id),
      name,
    });
  }
  // Old and new names of one figure side by side would count twice.
  const lines = found.filter(({ ids, name }) => ids.some((id) => names.get(id) === name)).map(({ line }) => line);
  const missing = new Map(METRIC_IDS.filter((id) => !names.has(id)).map((id) => [id, NOT_THERE]));
  return { window, series: [], lines, missing, notes: [] };
}

function newerOf(id: MetricId, before: string | undefined, name: string): string {
  if (before === undefined) return name;
  const order = seriesOf(id).map((series) => series.name);
  return order.indexOf(name) < order.indexOf(before) ? name : before;
}
