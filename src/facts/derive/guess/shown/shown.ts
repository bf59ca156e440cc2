import { isRemarkText } from '../../../../model/citation.ts';
import { GIB } from '../../../../model/quantity.ts';
import type { Cause } from '../../../../model/taxonomy.ts';
import type { Group } from '../../draft.ts';
import type { Evidence } from '../../evidence.ts';
import { namedWeights } from '../../gpu/weights-size.ts';
import type { Life } from '../../life/time-of-life.ts';
import { ranksOf } from '../../ram/ranks.ts';
import { allLastLines } from '../../weigh/tail-lines.ts';
import type { Told } from '../told/account.ts';
import { type Cards, readCardsShown } from './cards.ts';
import { AT_WORK, endsOtherwise, type Failing, readFailing } from './failing.ts';
import { causeAtWork } from './work.ts';

type Scene = {
  readonly evidence: Evidence;
  readonly rows: readonly Told[];
  readonly args: string;
  readonly cards: Cards;
  readonly failing: Failing | undefined;
};
type Found = { readonly cause: Cause; readonly from: readonly Told[] };

/**
 * What tools print of the cards and of the container, where no line of a log decides: a process that ended by itself beside a
 * card that was full, or was given more than a card holds. A guess, whatever it says.
 */
export function deriveShown(evidence: Evidence): Group {
  if (evidence.weighing.decisive !== undefined) return {};
  const { main, notes } = evidence.log;
  const rows = [...(main === undefined ? [] : [main]), ...notes].flatMap((log) =>
    allLastLines(log)
      .filter(({ text }) => !isRemarkText(text) || HEAD.test(text))
      .map((from) => ({ text: from.text, from })),
  );
  const scene: Scene = {
    evidence,
    rows,
    args: evidence.readings.texts.get('args.txt') ?? '',
    cards: readCardsShown(evidence, rows),
    failing: readFailing(evidence, rows),
  };
  const found = readCause(scene);
  return found === undefined ? {} : {};
}

// The heads of nvidia-smi's monitors are no remarks of people.
const HEAD = /^#\s?(?:date |time |gpu\b)/i;

function readCause(scene: Scene): Found | undefined {
  const { failing, cards } = scene;
  if (failing === undefined) return hungry(scene) ?? vanished(scene);
  const life = failing.life ?? lifeByCards(scene);
  if (life !== 'serving') {
    const found = tooLarge(scene) ?? twoFractions(scene) ?? heldByOthers(scene) ?? smallRank(scene);
    if (found !== undefined) return found;
  }
  const from = life === 'serving' ? cards.tight : cards.full;
  if (from === undefined || life === undefined) return undefined;
  return { cause: life === 'starting' ? causeOfStart(scene) : causeAtWork(scene), from: [from, failing.from] };
}

// Whoever stood at one level before the last step was at work; whoever came from nothing was not.
function lifeByCards({ cards, rows }: Scene): Life | undefined {
  const fill = cards.fills.find(({ ended, samples }) => ended && samples.length > 2);
  const [first = 0, second = 0] = fill?.samples ?? [];
  const steady = second > 0 && Math.abs(second - first) <= second * 0.02;
  return fill !== undefined && steady && !rows.some(({ text }) => /\bCrashLoopBackOff\b/.test(text))
    ? 'serving'
    : undefined;
}

const LEAST_SAMPLES = 3;

// The card filled up from sample to sample to its last MiB, and then everything was given back while requests ran.
function vanished(scene: Scene): Found | undefined {
  const { cards, rows } = scene;
  const fill = cards.fills.find(({ ended, samples, kind }) => {
    const isFilling = samples.every((one, at) => at === 0 || (kind === 'free') === one < (samples[at - 1] ?? 0));
    return ended && isFilling && samples.length >= LEAST_SAMPLES;
  });
  const isAtWork = rows.some(({ text }) => AT_WORK.test(text)) && !endsOtherwise(rows);
  return fill !== undefined && cards.tight === fill.from && isAtWork
    ? { cause: causeAtWork(scene), from: [fill.from] }
    : undefined;
}

const MUCH = 0.92;
// What llama.cpp leaves in RAM unless it is told to put all layers on the card.
const IN_PART = /\bllama-server\b|\bllama\.cpp\b|\.gguf\b/i;
const ALL_LAYERS = /(?:-ngl|--n-gpu-layers|--gpu-layers)[ =](?:99\d?|all|\d{3})\b/;
const ELSEWHERE = /--cpu-offload|--n-cpu-moe|--override-tensor|\bollama\b|--device[ =]cpu/i;

// The weights by the name of the model and its format, against the card or the part of it.
function tooLarge({ evidence, cards, args, failing }: Scene): Found | undefined {
  const weights = namedWeights(withFile(evidence, args));
  const { room } = cards;
  if (weights === undefined || room === undefined || failing === undefined || ELSEWHERE.test(args)) return undefined;
  if (IN_PART.test(args) && !ALL_LAYERS.test(args)) return undefined;
  if (weights.value / ranksOf(evidence.args) < room.bytes * MUCH) return undefined;
  const cause = room.part && cards.full !== undefined ? 'gpu.startup.parallelism' : 'gpu.startup.weights';
  return { cause, from: [room.from, failing.from] };
}

const FILE = /\bllama-server\b[^\n]*? -m[ =](\S{1,300}\.gguf)\b/;

// llama.cpp takes the file of a model behind a flag that many programs have for something else.
function withFile({ args }: Evidence, text: string): Evidence['args'] {
  const value = FILE.exec(text)?.[1];
  const from = { kind: 'line' as const, file: 'args.txt', line: 1, text: text.split('\n')[0] ?? '' };
  return value === undefined ? args : [...args, { flag: '--model', value, from }];
}

const SHARED = /\bnvidia\.com\/gpu\.shared\b|\btime-?slicing\b|\bgpu\.replicas\b|-SHARED\b/i;
const FRACTION =
  /--(?:gpu[-_]memory[-_]utilization|mem[-_]fraction[-_]static|cuda[-_]memory[-_]fraction)[ =]{1,2}(0?\.\d{1,3}|1(?:\.0)?)\b/g;

function fractionsIn(args: string): readonly number[] {
  return [...args.matchAll(FRACTION)].map(([, share]) => Number(share));
}

// Two engines on slices of the time of one card take their fractions of the whole.
function twoFractions({ rows, args, failing }: Scene): Found | undefined {
  const shared = rows.find(({ text }) => SHARED.test(text));
  const fractions = fractionsIn(args);
  const isOver = fractions.length > 1 && fractions.reduce((sum, one) => sum + one, 0) > 1;
  return shared && failing && isOver ? { cause: 'gpu.startup.shared-gpu', from: [shared, failing.from] } : undefined;
}

const HELD = 8 * GIB;

// Nothing of a container that waits is on a card: what is listed there is somebody else's. Of several cards, others may be.
function heldByOthers({ evidence, failing }: Scene): Found | undefined {
  const { processes = [], gpus = [] } = evidence.smi ?? {};
  const used = processes.find((one) => (one.used?.value ?? 0) >= HELD)?.used?.from;
  const isOneCard = new Set([...processes, ...gpus].map((one) => ('pid' in one ? one.gpu : one.index))).size === 1;
  if (failing === undefined || !failing.waits || !isOneCard || used?.kind !== 'line') return undefined;
  return { cause: 'gpu.startup.shared-gpu', from: [{ text: used.text, from: used }, failing.from] };
}

const SMALLER = 0.7;

// Ranks take the same each: the smallest card of them is the measure.
function smallRank({ evidence, cards, failing }: Scene): Found | undefined {
  const totals = (evidence.smi?.gpus ?? []).flatMap(({ total, used }) =>
    total && used ? [{ total: total.value, used: used.value }] : [],
  );
  const most = Math.max(0, ...totals.map(({ total }) => total));
  const isSmallFull = totals.some(({ total, used }) => total < most * SMALLER && used >= total * MUCH);
  return isSmallFull && ranksOf(evidence.args) > 1 && failing && cards.full
    ? { cause: 'gpu.startup.parallelism', from: [cards.full, failing.from] }
    : undefined;
}

const HIGH = 0.97;
const GRAPHS = /cuda[-_]?graph[-_]?(?:sizes|capture[-_]sizes|bs|max[-_]bs)|cudagraph_capture_sizes/i;
const STEPS = 3;

function causeOfStart({ cards, args }: Scene): Cause {
  const fraction = Math.max(0, ...fractionsIn(args));
  const { samples = [] } = cards.fills.find(({ kind }) => kind === 'used') ?? {};
  const rising = samples.slice(-STEPS - 1).every((one, at, all) => at === 0 || one > (all[at - 1] ?? 0));
  if (GRAPHS.test(args) && samples.length > STEPS && rising) return 'gpu.startup.graph-capture';
  if (fraction >= HIGH) return 'gpu.startup.utilization';
  return 'gpu.startup.weights';
}

// Counters of PyTorch's allocator, as exporters name them.
const OOMS = /num_ooms(?:_total)?\b[^\n]*?\s([1-9]\d{0,6})(?:\.0)?\s*$/;
const COUNTER =
  /\btorch_cuda_memory_(allocated|reserved|inactive_split)_bytes\b(?:\{[^}\n]*\})?\s+([\d.e+]+(?: \d{3})*)/;
const SPLIT = 0.2;

function hungry({ rows }: Scene): Found | undefined {
  const oom = rows.find(({ text }) => OOMS.test(text));
  const counters = new Map(
    rows.flatMap(({ text }) => {
      const [, name, value = ''] = COUNTER.exec(text) ?? [];
      return name === undefined ? [] : [[name, Number(value.replaceAll(' ', ''))] as const];
    }),
  );
  const reserved = counters.get('reserved') ?? 0;
  const idle = counters.get('inactive_split') ?? reserved - (counters.get('allocated') ?? reserved);
  return oom !== undefined && reserved > 0 && idle >= reserved * SPLIT
    ? { cause: 'gpu.chronic.fragmentation', from: [oom] }
    : undefined;
}
