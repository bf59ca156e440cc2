import type { GaugeId, GaugeRead, GaugesRead } from '../model/gauges.ts';
import type { Reading } from './verify-checks.ts';

export type FigureId = 'ramShare' | 'gpuFreeShare' | 'kvShare' | 'waiting' | 'running';

/** How full one pod is; what is not there is not known. */
export type PodFigures = { readonly pod: string } & { readonly [id in FigureId]?: number };

/** The figures of every pod that the gauges report. `container` is the engine's; null takes the fullest. */
export function figuresOf(read: GaugesRead, container: string | null): readonly PodFigures[] {
  const samples = [read.container, read.gpu, read.engine].flatMap(samplesOf);
  const byPod = Map.groupBy(samples, ({ pod }) => pod);
  return [...byPod].map(([pod, own]) => {
    const of = (id: GaugeId) => own.filter((sample) => sample.id === id);
    const values = (id: GaugeId) => of(id).map(({ value }) => value);
    const limits = new Map(of('container.memory.limit').map(({ part, value }) => [part, value]));
    const used = of('container.memory.working-set').filter(({ part }) => container === null || part === container);
    return {
      pod,
      ...figure('ramShare', highest(used.flatMap(({ part, value }) => shareOf(value, limits.get(part))))),
      ...figure('gpuFreeShare', lowest(gpuFree(of))),
      ...figure('kvShare', highest(values('kv-cache.used-share'))),
      ...figure('waiting', sum(values('requests.waiting'))),
      ...figure('running', sum(values('requests.running'))),
    };
  });
}

function samplesOf(read: GaugeRead) {
  return read.kind === 'read' ? read.samples : [];
}

type Of = (id: GaugeId) => readonly { readonly part: string; readonly value: number }[];

function gpuFree(of: Of): number[] {
  const by = (id: GaugeId) => new Map(of(id).map(({ part, value }) => [part, value]));
  const [free, total] = [by('gpu.framebuffer.free'), by('gpu.framebuffer.total')];
  return of('gpu.framebuffer.used').flatMap(({ part, value }) => {
    const rest = free.get(part);
    const whole = total.get(part) ?? (rest === undefined ? undefined : rest + value);
    return shareOf(value, whole).map((share) => 1 - share);
  });
}

function shareOf(value: number, whole: number | undefined): number[] {
  return whole === undefined || whole <= 0 ? [] : [value / whole];
}

const figure = (id: FigureId, value: number | undefined) => (value === undefined ? {} : { [id]: value });
const highest = (values: readonly number[]) => (values.length === 0 ? undefined : Math.max(...values));
const lowest = (values: readonly number[]) => (values.length === 0 ? undefined : Math.min(...values));
const sum = (values: readonly number[]) =>
  values.length === 0 ? undefined : values.reduce((all, value) => all + value, 0);

/** Who has to tell a figure, and why one of them does not. */
type Wanted = { readonly pods: readonly string[]; readonly whyNot: (pod: string) => string };

/** The worst of all pods, and of whom nothing is known. */
export function worstOf(
  figures: readonly PodFigures[],
  id: 'ramShare' | 'gpuFreeShare' | 'kvShare',
  { pods, whyNot }: Wanted,
): Reading {
  const told = pods.flatMap((pod) => {
    const value = figures.find((one) => one.pod === pod)?.[id];
    return value === undefined ? [] : [{ pod, value }];
  });
  const sorted = told.toSorted((a, b) => (id === 'gpuFreeShare' ? a.value - b.value : b.value - a.value));
  return readingOf(sorted[0], { all: pods, told: told.map(({ pod }) => pod), whyNot });
}

/** Those that wait and those that run, both of the pod with the longest queue for what it runs. */
export function queueOf(
  figures: readonly PodFigures[],
  { pods, whyNot }: Wanted,
): { readonly waiting: Reading; readonly running: Reading } {
  const told = pods.flatMap((pod) => {
    const { waiting, running } = figures.find((one) => one.pod === pod) ?? {};
    if (waiting === undefined || (running === undefined && waiting > 0)) return [];
    return [{ pod, waiting, running: running ?? 0 }];
  });
  const length = ({ waiting, running }: (typeof told)[number]) => (waiting === 0 ? 0 : waiting / running);
  const worst = told.toSorted((a, b) => length(b) - length(a))[0];
  const who = { all: pods, told: told.map(({ pod }) => pod), whyNot };
  return {
    waiting: readingOf(worst && { pod: worst.pod, value: worst.waiting }, who),
    running: readingOf(worst && { pod: worst.pod, value: worst.running }, who),
  };
}

type Who = { readonly all: readonly string[]; readonly told: readonly string[]; readonly whyNot: Wanted['whyNot'] };

function readingOf(worst: { pod: string; value: number } | undefined, { all, told, whyNot }: Who): Reading {
  const silent = all.filter((pod) => !told.includes(pod));
  const [first] = silent;
  if (worst === undefined) {
    return { kind: 'unknown', why: first === undefined ? 'no pods to read' : whyNot(first) };
  }
  const lacks = first === undefined ? null : `${sayPods(silent)} (${whyNot(first)})`;
  return { kind: 'known', value: worst.value, of: all.length > 1 ? worst.pod : null, lacks };
}

const MOST_NAMES = 4;

/** `a, b`, and of many how many more there are. */
export function sayPods(pods: readonly string[]): string {
  const more = pods.length - MOST_NAMES;
  return more > 0 ? `${pods.slice(0, MOST_NAMES).join(', ')} and ${more} more` : pods.join(', ');
}
