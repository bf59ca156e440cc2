import { EventsFile, parseJsonFile } from '../../model/json-file.ts';
import { Pod } from '../../model/kubernetes.ts';
import type { LogReading } from '../../model/log-reading.ts';
import { parseLogName } from '../../model/snapshot.ts';
import { readDescribe } from '../pod/describe.ts';
import { gatherPod, type PodInput } from '../pod/gather.ts';
import { readOwner } from '../pod/owner.ts';
import { labelledLines } from '../text/labelled-lines.ts';
import { readMetricsText } from '../text/metrics-text.ts';
import { type OwnMetrics, ownMetrics } from '../text/own-metrics.ts';
import { METRICS_FILE } from '../text/prometheus.ts';
import type { Readings } from './readings.ts';
import { contentOf, defined, textOf } from './text-of.ts';
import { unsaid } from './weigh/tail-lines.ts';

/** What the folder tells of the pod beside its metrics. */
export function readStatus({ texts, logs }: Readings): PodInput {
  const pod = contentOf(textOf(texts, 'pod.json', (text) => parseJsonFile(Pod, text)));
  const logged = new Set(logs.flatMap(({ file }) => parseLogName(file)?.container ?? []));
  return {
    ...defined('pod', pod),
    ...defined('logged', logged.size === 1 ? [...logged][0] : undefined),
    ...defined(
      'describe',
      textOf(texts, 'describe.txt', (text) => readDescribe(text, pod?.metadata?.name)),
    ),
    ...defined('events', contentOf(textOf(texts, 'events.json', (text) => parseJsonFile(EventsFile, text)))),
  };
}

/** metrics.txt as far as it is the engine's, by what the rest of the folder tells of the pod. */
export function readOwnMetrics({ texts }: Readings, input: PodInput): OwnMetrics | undefined {
  const text = texts.get(METRICS_FILE);
  if (text === undefined) return undefined;
  const pod = gatherPod(input);
  const ofContainers = pod.views.flatMap(({ containers }) =>
    containers.flatMap(({ command, args }) => [...command, ...args]),
  );
  const words = [texts.get('args.txt') ?? '', ...ofContainers.map(({ value }) => value)];
  const lines = labelledLines(text);
  const told = { pod, words: words.flatMap((word) => word.split(/[\s"'=,[\]]+/)) };
  return ownMetrics(readMetricsText(text), lines, readOwner(told, lines));
}

/** A file as it was scanned, where what metrics.txt tells of others is as if it did not stand there. */
export function withoutOthersMetrics(log: LogReading, metrics: OwnMetrics | undefined): LogReading {
  if (log.file !== METRICS_FILE || metrics === undefined) return log;
  return { ...unsaid(log, metrics.others), hits: log.hits.filter(({ line }) => !metrics.others.has(line)) };
}
