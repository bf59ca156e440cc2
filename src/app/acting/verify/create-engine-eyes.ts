import { type FigureId, figuresOf, type PodFigures, queueOf, sayPods, worstOf } from '../../../actions/pod-figures.ts';
import type { EngineReadings, Reading } from '../../../actions/verify-checks.ts';
import type { Facts } from '../../../model/fact.ts';
import type { GaugesRead } from '../../../model/gauges.ts';
import { numberOf, textOf } from '../../budget/engine-figures.ts';
import type { Diagnosed, InvestigateDeps } from '../../triage/investigate.ts';
import type { EngineEyes, Look, SignatureLook } from '../engine-eyes.ts';
import { servingOf } from '../engine-eyes.ts';
import { lookAround, lookBack, lookForward, type PastDeps } from './baseline.ts';
import { choosePods, figuresSeen, type Seen, seePod, seePods, whyNotSeen } from './pod-signatures.ts';
import { type ProbeDeps, probeEngines } from './probe-engine.ts';
import { createReplay, type ReplayDeps } from './replay-shape.ts';

/** What engines may be asked, as configuration allows it. */
type Asks = { readonly probe?: ProbeDeps | undefined; readonly replay?: ReplayDeps | undefined };

/** Eyes of a verification that look as a triage does: the same reads, the same scan, the same facts. */
export function createEngineEyes(deps: InvestigateDeps, past: PastDeps, asks: Asks = {}): EngineEyes {
  const { probe, replay } = asks;
  const looks = new WeakMap<Look, Promise<readonly Seen[]>>();
  // Metrics and signature of one look come from the same reading.
  const see = (look: Look): Promise<readonly Seen[]> => {
    const before = looks.get(look);
    if (before !== undefined) return before;
    const now = seePods(deps, look);
    looks.set(look, now);
    return now;
  };
  return {
    readings: async (look) => {
      const [seen, gauges, since] = await Promise.all([see(look), lookAround(past, look), lookForward(past, look)]);
      return { ...readingsOf(look, seen, gauges), preemptions: since.preemptions, times: since.times };
    },
    lookBack: (look) => lookBack(past, look),
    signature: async (look) => signatureOf(await see(look), look),
    inFlight: async (look) => sumInFlight(deps, look, await lookAround(past, look)),
    ...(probe && { probe: (look: Look) => probeEngines(probe, look) }),
    ...(replay && { replay: createReplay(replay) }),
  };
}

// As many as are read one by one within one look; of more it is not known.
const MOST_DRAINED = 8;

/** Requests in flight in all pods that serve: what is cut when they go. */
async function sumInFlight(deps: InvestigateDeps, look: Look, gauges: GaugesRead | undefined): Promise<Reading> {
  const serving = servingOf(look.pods);
  const figures = gauges === undefined ? [] : figuresOf(gauges, look.target.container);
  const told = new Map(figures.map(({ pod, running }) => [pod, running]));
  const open = serving.filter(({ name }) => told.get(name) === undefined);
  if (open.length > MOST_DRAINED) {
    const why = `${open.length} pods are ready, more than the ${MOST_DRAINED} that oombot reads`;
    return { kind: 'unknown', why };
  }
  const seen = await Promise.all(open.map((pod) => seePod(deps, look, { pod, brief: 'with-metrics' })));
  const own = seen.map(figuresSeen);
  const unread = seen.find((_, i) => own[i]?.running === undefined);
  if (unread !== undefined) {
    return { kind: 'unknown', why: `${unread.pod}: ${whyNotSeen(unread, 'running') ?? 'no such metric'}` };
  }
  const values = [...own.map(({ running = 0 }) => running), ...serving.map(({ name }) => told.get(name) ?? 0)];
  return { kind: 'known', value: values.reduce((sum, value) => sum + value, 0) };
}

function signatureOf(seen: readonly Seen[], { pods, begun }: Look): SignatureLook {
  if (seen.length === 0) return { kind: 'could-not-tell', why: 'no pods' };
  const unsure: string[] = [];
  for (const one of seen) {
    const found = 'finding' in one ? memoryFailure(one.finding) : undefined;
    if (found === undefined || !('finding' in one)) continue;
    const when = one.isNew ? 'new' : ageOf(one.finding.facts, begun);
    if (when === 'new') return { kind: 'found', says: `${one.pod}: ${found}` };
    if (when === 'unknown') unsure.push(`${one.pod}: ${found} It may be from before the change`);
  }
  const none = `none in the logs of ${sayPods(seen.map(({ pod }) => pod))} since the change`;
  const left = choosePods(pods, begun).left.map(({ name }) => name);
  const unread = [
    ...seen.flatMap((one) => ('why' in one ? [one.why] : [])),
    ...unsure,
    ...(left.length === 0 ? [] : [`${none}; logs of ${sayPods(left)} not read (at most ${seen.length} per check)`]),
  ];
  if (unread.length > 0) return { kind: 'could-not-tell', why: unread.join('; ') };
  return { kind: 'none', says: none };
}

// A pod that the change did not replace still shows the death before it.
function ageOf(facts: Facts, begun: number): 'old' | 'new' | 'unknown' {
  const times = ['death.at', 'gpu.oom-at'].flatMap((id) => numberOf(facts, id) ?? []);
  if (times.length === 0) return 'unknown';
  return times.some((at) => at >= begun) ? 'new' : 'old';
}

function memoryFailure({ facts, diagnosis }: Diagnosed): string | undefined {
  const plane = textOf(facts, 'evidence.plane');
  return plane === 'gpu' || plane === 'host' ? (diagnosis.headline ?? diagnosis.says) : undefined;
}

type Shown = Pick<EngineReadings, 'ramShare' | 'gpuFreeShare' | 'kvShare' | 'waiting' | 'running'>;

// Of every pod: by the gauges of all of them, and by the pods' own readings where the gauges have no data.
function readingsOf({ target, pods }: Look, seen: readonly Seen[], gauges: GaugesRead | undefined): Shown {
  const shown = gauges === undefined ? [] : figuresOf(gauges, target.container);
  const standing = pods.filter(({ terminating, startedAt }) => !terminating && startedAt !== null);
  const figures = standing.map(({ name }): PodFigures => {
    const own = seen.find(({ pod }) => pod === name);
    return { ...(own && figuresSeen(own)), ...shown.find(({ pod }) => pod === name), pod: name };
  });
  const whyNot = (id: FigureId) => (name: string) =>
    whyNotSeen(
      seen.find(({ pod }) => pod === name),
      id,
    ) ?? whyNotShown(gauges, id);
  const all = standing.map(({ name }) => name);
  const engines = servingOf(standing).map(({ name }) => name);
  return {
    ramShare: worstOf(figures, 'ramShare', { pods: all, whyNot: whyNot('ramShare') }),
    gpuFreeShare: worstOf(figures, 'gpuFreeShare', { pods: all, whyNot: whyNot('gpuFreeShare') }),
    kvShare: worstOf(figures, 'kvShare', { pods: engines, whyNot: whyNot('kvShare') }),
    ...queueOf(figures, { pods: engines, whyNot: whyNot('waiting') }),
  };
}

function whyNotShown(gauges: GaugesRead | undefined, id: FigureId): string {
  if (gauges === undefined) return 'no metrics configured for this cluster';
  const read = id === 'ramShare' ? gauges.container : id === 'gpuFreeShare' ? gauges.gpu : gauges.engine;
  return read.kind === 'unknown' ? read.why : 'no such metric';
}
