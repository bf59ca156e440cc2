import type { Cited } from '../../model/engine-reader.ts';
import type { MetricSample } from '../metrics/exposition.ts';
import {
  type ContainerView,
  NO_CONTAINER,
  NO_POD,
  type PodView,
  type StateView,
  terminated,
} from './container-states.ts';
import { placeOf } from './sample-place.ts';

type Sample = MetricSample & { readonly container: string | undefined };

const OF_POD = /^kube_pod_(?:(?:init_)?container_)?status_/;
const OF_CONTAINER = /^kube_pod_(?:init_)?container_status_(\w{1,60})$/;

/** Samples that are the engine's, and those of which nothing but their being there says so. */
export type OwnSamples = { readonly own: readonly MetricSample[]; readonly maybe: readonly MetricSample[] };

/**
 * The status of a pod by kube-state-metrics (docs/metrics/workload/pod-metrics.md): where nobody pasted `describe`, its
 * samples hold the same. Undefined where there is none.
 */
export function viewOfSamples({ own, maybe: others }: OwnSamples): PodView | undefined {
  const mine = newest(own);
  const maybe = newest(others);
  if (mine.length + maybe.length === 0) return undefined;
  // Of a container that may be anybody's no end is proven.
  return { ...NO_POD, phase: phaseOf([...maybe, ...mine]), containers: containersOf(mine) };
}

// The same series scraped again: the last one stands.
function newest(samples: readonly MetricSample[]): readonly Sample[] {
  const last = new Map<string, Sample>();
  for (const sample of samples.filter(({ name }) => OF_POD.test(name))) {
    const key = `${sample.name} ${JSON.stringify(sample.labels)}`;
    last.delete(key);
    last.set(key, { ...sample, container: placeOf(sample.name, sample.labels).container });
  }
  return [...last.values()];
}

// A pod that is gone from its node keeps `Failed` or `Unknown` for reasons that no metric tells.
function phaseOf(samples: readonly Sample[]): Cited<string> | undefined {
  return wordOf(samples, 'kube_pod_status_phase', 'phase', /^(?:Running|Pending)$/);
}

function wordOf(samples: readonly Sample[], metric: string, label: string, words: RegExp): Cited<string> | undefined {
  const set = samples.filter(({ name, labels }) => name === metric && words.test(labels[label] ?? ''));
  return onlyWord(set, label);
}

// Each state is a sample of its own: 1 for the one that is, 0 for the others. A query over some time (`last_over_time`) has
// a 1 for each that was: the newest is meant where they bear times, and none where they do not.
function onlyWord(samples: readonly Sample[], label: string): Cited<string> | undefined {
  const set = samples.filter(({ labels, value }) => value === 1 && labels[label] !== undefined);
  const latest = Math.max(...set.map(({ at }) => at ?? Number.NEGATIVE_INFINITY));
  const left = set.length > 1 ? set.filter(({ at }) => at === latest) : set;
  const [first] = left;
  const words = new Set(left.map(({ labels }) => labels[label]));
  return first === undefined || words.size > 1 ? undefined : { value: first.labels[label] ?? '', from: first.from };
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
  return onlyWord(ofMetric(samples, metric), 'reason');
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
