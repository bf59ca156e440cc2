import { EventsFile, parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { parseLogName } from '../../model/snapshot.ts';
import { readDescribe } from '../../read/cluster/describe.ts';
import { type OwnMetrics, ownMetrics } from '../../read/cluster/engine-metrics.ts';
import { gatherPod, type PodInput } from '../../read/cluster/gather.ts';
import { readOwner, type Told } from '../../read/cluster/owner.ts';
import { METRICS_FILE } from '../../read/metrics/exposition.ts';
import { readMetricsText } from '../../read/metrics/metrics-text.ts';
import { NOTHING_SORTED, type Sorted, type TextLine } from '../../read/text/lines.ts';
import type { Readings } from '../log/readings.ts';
import { tailLines, unsaid } from '../log/tail-lines.ts';
import { sortNamed } from './line-owners.ts';
import { contentOf, defined, textOf } from './snapshot-files.ts';

/** What the folder says about the pod apart from its metrics. */
export function readStatus({ texts, logs }: Readings): PodInput {
  const pod = contentOf(textOf(texts, 'pod.json', (text) => parseJsonFile(Pod, text)));
  const logged = new Set(logs.flatMap(({ file }) => parseLogName(file)?.container ?? []));
  const told = { ...defined('pod', pod), ...defined('logged', logged.size === 1 ? [...logged][0] : undefined) };
  return {
    ...told,
    ...defined(
      'describe',
      textOf(texts, 'describe.txt', (text) => readDescribe(text, pod?.metadata?.name)),
    ),
    ...defined('events', contentOf(textOf(texts, 'events.json', (text) => parseJsonFile(EventsFile, text)))),
  };
}

/** metrics.txt as far as it is the engine's, by what the rest of the folder says about the pod. */
export function readOwnMetrics(readings: Readings, input: PodInput): OwnMetrics | undefined {
  const text = readings.texts.get(METRICS_FILE);
  if (text === undefined) return undefined;
  const metrics = readMetricsText(text);
  return ownMetrics(metrics, readOwner(toldIn(readings, input), metrics.labelled));
}

function toldIn({ texts }: Readings, input: PodInput): Told {
  const pod = gatherPod(input);
  const ofContainers = pod.views.flatMap(({ containers }) =>
    containers.flatMap(({ command, args }) => [...command, ...args]),
  );
  const words = [texts.get('args.txt') ?? '', ...ofContainers.map(({ value }) => value)];
  return { pod, words: words.flatMap((word) => word.split(/[\s"'=,[\]]+/)) };
}

/** By file, the lines that say themselves whose they are, where that is not the engine. */
export function sortLines(
  readings: Readings,
  input: PodInput,
  metrics: Sorted | undefined,
): ReadonlyMap<string, Sorted> {
  const told = () => toldIn(readings, input);
  return new Map(
    readings.logs.map((log) => [
      log.file,
      log.file === METRICS_FILE ? (metrics ?? NOTHING_SORTED) : sortNamed(linesOf(log), told),
    ]),
  );
}

// The tail is what is kept of a log in addition to the lines that matched.
function linesOf(log: LogReading): readonly TextLine[] {
  const texts = [...log.hits, ...tailLines(log)].map(({ line, text }) => [line, text] as const);
  return [...new Map(texts)].map(([n, text]) => ({ n, raw: text, text })).toSorted((a, b) => a.n - b.n);
}

/** A file as it was scanned, without what it says about others. */
export function withoutOthers(log: LogReading, { others }: Sorted = NOTHING_SORTED): LogReading {
  if (others.size === 0) return log;
  return { ...unsaid(log, others), hits: log.hits.filter(({ line }) => !others.has(line)) };
}
