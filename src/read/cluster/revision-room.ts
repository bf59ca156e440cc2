import type { Placed } from '../../model/json-file.ts';
import { type Knob, knobOfAny } from '../../model/knob-table.ts';
import type { Revision } from '../../model/kubernetes.ts';
import { parseQuantity } from '../../model/quantity.ts';
import { known, type Reading, unknown } from '../reading.ts';
import { fieldOf } from './read-pod-json.ts';
import { changeWords, numberOf } from './revision-words.ts';
import { type Change, changesOf, pairOf } from './revisions.ts';

/** Where memory may be short: outside the GPU's KV pool, in that pool, or in the container's RAM. */
export type Room = 'gpu' | 'pool' | 'ram';
/** What a change does to a room; `open` where it moves it one way or the other. */
type Effect = 'less' | 'more' | 'open' | 'none';

/** What was changed that left less of a room, in words (`cut the memory limit from 64Gi to 32Gi`); `nothing` where nothing did. */
export type RevisionRoom = { readonly [R in Room]: Reading<string> };

const field = fieldOf('revisions.json');

// What a higher value does. A larger fraction goes to the pool and is missing outside it.
const RAISED: Readonly<Record<Knob, { readonly [R in Room]: Effect }>> = {
  fraction: { gpu: 'less', pool: 'more', ram: 'none' },
  length: { gpu: 'less', pool: 'less', ram: 'none' },
  sequences: { gpu: 'less', pool: 'less', ram: 'none' },
  'batched-tokens': { gpu: 'less', pool: 'less', ram: 'none' },
};
const RANKS = /^(?:--(?:tensor-parallel-size|pipeline-parallel-size|tp-size|tp|pp|num-shard)|-tp|-pp)$/;
const RANKS_RAISED: { readonly [R in Room]: Effect } = { gpu: 'more', pool: 'more', ram: 'less' };
// Given to a cache or to weights in RAM; without the flag there is none, or a fixed one.
const HOST_CACHE = /^--(?:swap-space|cpu-offload-gb|kv-offloading-size|hicache-size|hicache-ratio|cache-ram)$/;
// Another model, build or number format: what it needs is not in the revision.
const OF_MODEL =
  /^(?:image|--(?:model|model-path|model-id|quantization|dtype|kv-cache-dtype|load-format)|-m|word \d+)$/;

/** The labels of the pod, which name its revision, and the container that failed. */
export type OfPod = {
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly container?: string | undefined;
};

/**
 * What the last rollout changed that leaves less of each room, or may, where nothing that it changed leaves more. A change of
 * another container than `container` counts for nothing.
 */
export function readRevisionRoom(
  revisions: readonly Placed<Revision>[],
  { labels, container }: OfPod = {},
): RevisionRoom {
  const pair = pairOf(revisions, labels);
  if (pair === undefined) {
    const missing = unknown('empty', 'no revision before that of the pod is in the snapshot');
    return { gpu: missing, pool: missing, ram: missing };
  }
  const name = field(pair.now.value.name, `${pair.now.path}/name`)?.from;
  const changes = changesOf(pair).filter((one) => one.container === undefined || isSame(one.container, container));
  const of = (room: Room): Reading<string> => {
    const effects = changes.map((change) => ({ effect: effectOf(change, room), change }));
    const at = (wanted: Effect) => effects.filter(({ effect }) => effect === wanted).map(({ change }) => change);
    const [gave, took] = [at('more'), [...at('less'), ...at('open')]];
    const proof = [...gave, ...took].flatMap(({ from }) => from);
    const cited = [...proof, ...(name === undefined ? [] : [name])].slice(0, MOST_CITED);
    if (cited.length === 0) return unknown('failed', 'the revisions could not be compared');
    return known(gave.length > 0 ? 'nothing' : changeWords(took), ...cited);
  };
  return { gpu: of('gpu'), pool: of('pool'), ram: of('ram') };
}

function isSame(container: string, wanted: string | undefined): boolean {
  return wanted === undefined || container === wanted;
}

/** That the last rollout lowered the memory limit, from what and to what; undefined where it did not. */
export function readLimitCut(
  revisions: readonly Placed<Revision>[],
  { labels, container }: OfPod,
): Reading<string> | undefined {
  const pair = pairOf(revisions, labels);
  const changes = pair === undefined ? [] : changesOf(pair);
  const cut = changes.find(
    (one) => one.key === 'limits.memory' && isSame(one.container ?? '', container) && limitEffect(one) === 'less',
  );
  if (cut === undefined || parseQuantity(cut.before) === undefined) return undefined;
  return known(`The rollout ${changeWords([cut])}`, ...cut.from);
}

const MOST_CITED = 4;

function effectOf(change: Change, room: Room): Effect {
  const flag = change.key.replaceAll('_', '-');
  if (OF_MODEL.test(flag)) return 'open';
  if (flag === 'limits.memory') return room === 'ram' ? limitEffect(change) : 'none';
  if (HOST_CACHE.test(flag)) return room === 'ram' ? turn('less', raised(change, 0)) : 'none';
  if (RANKS.test(flag)) return turn(RANKS_RAISED[room], raised(change, 1));
  const knob = knobOfAny(change.key) ?? knobOfAny(flag);
  return knob === undefined ? 'none' : turn(RAISED[knob][room], raised(change, undefined));
}

// No limit is the highest of all.
function limitEffect({ before, now }: Change): Effect {
  const [a, b] = [before, now].map((value) => parseQuantity(value) ?? (value === undefined ? Infinity : Number.NaN));
  return turn('more', a === undefined || b === undefined ? Number.NaN : Math.sign(b - a));
}

/** 1 where the value was raised, -1 where it was lowered, not a number where that cannot be told. */
function raised({ before, now }: Change, absent: number | undefined): number {
  const [a, b] = [before, now].map((value) => (value === undefined ? absent : numberOf(String(value))));
  return a === undefined || b === undefined || Number.isNaN(b - a) ? Number.NaN : Math.sign(b - a);
}

function turn(effect: Effect, sign: number): Effect {
  if (effect === 'none' || effect === 'open' || sign === 0) return sign === 0 ? 'none' : effect;
  if (Number.isNaN(sign)) return 'open';
  if (sign > 0) return effect;
  return effect === 'less' ? 'more' : 'less';
}
