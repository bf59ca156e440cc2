import type { Cited } from '../../model/engine-reader.ts';
import type { MetricSample } from '../text/prometheus.ts';
import { type ContainerView, NO_CONTAINER, NO_POD, type PodView, type StateView, terminated } from './view.ts';

type Sample = MetricSample & { readonly pod: string | undefined; readonly container: string | undefined };

const OF_POD = /^kube_pod_(?:(?:init_)?container_)?status_/;
const OF_CONTAINER = /^kube_pod_(?:init_)?container_status_(\w{1,60})$/;

/**
 * The status of a pod by kube-state-metrics (docs/metrics/workload/pod-metrics.md): where nobody pasted `describe`, its
 * samples hold the same. Undefined where there is none, or where they are of several pods and nothing tells which.
 */
export function viewOfSamples(samples: readonly MetricSample[], own: string | undefined): PodView | undefined {
  const all = samples.filter(({ name }) => OF_POD.test(name)).map(placed);
  const pods = new Set(all.map(({ pod }) => pod));
  const mine = pods.size > 1 ? all.filter(({ pod }) => own !== undefined && pod === own) : all;
  if (mine.length === 0) return undefined;
  return { ...NO_POD, phase: phaseOf(mine), containers: containersOf(mine) };
}

// Prometheus keeps the labels of what it scraped under `exported_`, where its own say which exporter that was.
function placed(sample: MetricSample): Sample {
  const { labels } = sample;
  return {
    ...sample,
    pod: labels.exported_pod ?? labels.pod,
    container: labels.exported_container ?? labels.container,
  };
}

// A pod that is gone from its node keeps `Failed` or `Unknown` for reasons that no metric tells.
function phaseOf(samples: readonly Sample[]): Cited<string> | undefined {
  return wordOf(samples, 'kube_pod_status_phase', 'phase', /^(?:Running|Pending)$/);
}

// Each state is a sample of its own: 1 for the one that is, 0 for the others.
function wordOf(samples: readonly Sample[], metric: string, label: string, words: RegExp): Cited<string> | undefined {
  const set = samples.findLast(
    ({ name, labels, value }) => name === metric && value === 1 && words.test(labels[label] ?? ''),
  );
  return set && { value: set.labels[label] ?? '', from: set.from };
}

function containersOf(samples: readonly Sample[]): readonly ContainerView[] {
  const own = samples.filter(({ name }) => OF_CONTAINER.test(name));
  return [...Map.groupBy(own, ({ name, container }) => `${isInit(name)} ${container}`).values()].map(containerOf);
}

function isInit(name: string): boolean {
  return name.startsWith('kube_pod_init_');
}

function containerOf(samples: readonly Sample[]): ContainerView {
  const [first] = samples;
  const kind = first !== undefined && isInit(first.name) ? 'init' : 'container';
  const name = first?.container === undefined ? undefined : { value: first.container, from: first.from };
  return {
    ...NO_CONTAINER,
    kind,
    name,
    restarts: numberOf(samples, 'restarts_total'),
    state: stateOf(samples),
    lastState: lastStateOf(samples),
  };
}

function ofMetric(samples: readonly Sample[], metric: string): readonly Sample[] {
  return samples.filter(({ name }) => OF_CONTAINER.exec(name)?.[1] === metric);
}

function numberOf(samples: readonly Sample[], metric: string): Cited<number> | undefined {
  const last = ofMetric(samples, metric).findLast(({ value }) => Number.isFinite(value));
  return last && { value: last.value, from: last.from };
}

function reasonOf(samples: readonly Sample[], metric: string): Cited<string> | undefined {
  const set = ofMetric(samples, metric).findLast(({ labels, value }) => value === 1 && labels.reason !== undefined);
  return set && { value: set.labels.reason ?? '', from: set.from };
}

function stateOf(samples: readonly Sample[]): StateView | undefined {
  const waiting = reasonOf(samples, 'waiting_reason');
  if (waiting !== undefined) return { kind: 'waiting', reason: waiting, message: undefined };
  const ended = reasonOf(samples, 'terminated_reason');
  if (ended !== undefined) return terminated({ reason: ended });
  return numberOf(samples, 'running')?.value === 1 ? { kind: 'running', startedAt: undefined } : undefined;
}

function lastStateOf(samples: readonly Sample[]): StateView | undefined {
  const reason = reasonOf(samples, 'last_terminated_reason');
  const exitCode = numberOf(samples, 'last_terminated_exitcode');
  const at = numberOf(samples, 'last_terminated_timestamp');
  const finishedAt = at && { value: at.value * 1000, from: at.from };
  return reason === undefined && exitCode === undefined ? undefined : terminated({ reason, exitCode, finishedAt });
}
