import type { Interval, StartAnswer } from '../model/budget.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { formatValue } from '../model/format-value.ts';
import type { BlockAnswer } from './block-size.ts';
import { type Knobs, knobsOf } from './engine-knobs.ts';
import { type Figures, isOn, type Settings, settingOf } from './figures.ts';
import { gib } from './kv-pool.ts';

/** What decides whether an engine starts; undefined where it is not known and the check cannot be made. */
export type StartInput = {
  /** What the engine asks of the GPU, and what was free, for an engine that compares them. */
  readonly requestedBytes?: number | undefined;
  readonly freeBytes?: number | undefined;
  readonly poolBytes: number | undefined;
  /** Between what an estimated pool is. */
  readonly interval?: Interval | undefined;
  /** What the pool has to have for one sequence of that length. */
  readonly needBytes: number | undefined;
  /** The share of it that it takes at least. */
  readonly leastShare?: number | undefined;
  /** Tokens that the engine itself says to fit into this very pool: its sizes are rounded, these are not. */
  readonly ownTokens?: number | undefined;
  /** Tokens above which it says that a sequence does not fit into this very pool. */
  readonly mostTokens?: number | undefined;
  readonly lengthTokens: number | undefined;
  readonly sequences: number | undefined;
  readonly batchedTokens: number | undefined;
  /** False for an engine that starts with a pool in which its longest sequence has no room. */
  readonly holdsLength: boolean;
  readonly wholePrompts: boolean;
  /** The longest prompt, for an engine that bounds it apart from the length of prompt and answer together. */
  readonly inputTokens?: number | undefined;
  /** Whether it takes the blocks that it is told to. */
  readonly blocks?: BlockAnswer;
  /** Why its heads cannot be divided among the ranks. */
  readonly heads?: string | undefined;
};

/** Whether an engine would start, by its own rules. `proven` is false where the sizes that decide are not all known. */
export function judgeStart(input: StartInput): StartAnswer {
  const { poolBytes, requestedBytes, freeBytes, blocks, heads } = input;
  if (blocks?.kind === 'refused') return refuses(blocks.why);
  if (heads !== undefined) return refuses(heads);
  if (requestedBytes !== undefined && freeBytes !== undefined && requestedBytes > freeBytes) {
    return refuses(`the engine asks for ${gib(requestedBytes)}, but only ${gib(freeBytes)} was free`);
  }
  const { low, high } = input.interval ?? { low: poolBytes, high: poolBytes };
  if (high !== undefined && high <= 0) return refuses(`nothing is left for the KV cache (${poolWords(input)})`);
  const refusal = whyTooLong(input, high) ?? whyNoPass(input);
  if (refusal !== undefined) return refusal;
  return withDoubt(input, low);
}

// Whether the low end of an estimate holds it as well.
function withDoubt(input: StartInput, low: number | undefined): StartAnswer {
  const says = saysSo(input);
  const need = input.holdsLength && !says ? input.needBytes : 0;
  const isOpen = !says && low !== undefined && (low <= 0 || (need !== undefined && need > low));
  const isSized = says || (low !== undefined && need !== undefined && !isOpen);
  const proven = isSized && input.blocks?.kind !== 'unknown';
  return { kind: 'starts', proven, ...(isOpen ? { doubt: doubtOf(input) } : {}) };
}

function poolWords({ poolBytes, interval }: StartInput): string {
  if (interval === undefined) return gib(poolBytes ?? Number.NaN);
  return `${gib(interval.low, '')} to ${gib(interval.high)}`;
}

function doubtOf(input: StartInput): string {
  const { needBytes, lengthTokens } = input;
  const one = needBytes === undefined ? '' : `one sequence of ${tokens(lengthTokens)} takes ${gib(needBytes)}, `;
  return `${one}the KV cache may have ${poolWords(input)}`;
}

function saysSo({ ownTokens, lengthTokens }: StartInput): boolean {
  return ownTokens !== undefined && lengthTokens !== undefined && lengthTokens <= ownTokens;
}

function whyTooLong(input: StartInput, most: number | undefined): StartAnswer | undefined {
  const { needBytes: need, leastShare = 1, lengthTokens, mostTokens } = input;
  if (!input.holdsLength || saysSo(input)) return undefined;
  if (most !== undefined && need !== undefined && need * leastShare > most) {
    const has = input.interval === undefined ? 'has' : 'may have';
    return refuses(
      `one sequence of ${tokens(lengthTokens)} takes ${gib(need)}, the KV cache ${has} ${poolWords(input)}`,
    );
  }
  if (mostTokens === undefined || lengthTokens === undefined || lengthTokens <= mostTokens) return undefined;
  return refuses(`one sequence has ${tokens(lengthTokens)}, the KV cache holds ${tokens(mostTokens)} (engine log)`);
}

function whyNoPass(input: StartInput): StartAnswer | undefined {
  const { lengthTokens, sequences, batchedTokens, wholePrompts, inputTokens } = input;
  if (inputTokens !== undefined && lengthTokens !== undefined && inputTokens >= lengthTokens) {
    return refuses(
      `a prompt of ${tokens(inputTokens)} leaves no space for output within a length of ${tokens(lengthTokens)}`,
    );
  }
  if (batchedTokens !== undefined && sequences !== undefined && batchedTokens < sequences) {
    return refuses(
      `a step of ${tokens(batchedTokens)} is less than one token for each of ${formatValue('count', sequences)} sequences`,
    );
  }
  const prompt = inputTokens ?? lengthTokens;
  if (wholePrompts && batchedTokens !== undefined && prompt !== undefined && batchedTokens < prompt) {
    return refuses(
      `without chunked prefill a step of ${tokens(batchedTokens)} is shorter than a prompt of ${tokens(prompt)}`,
    );
  }
  return undefined;
}

function tokens(count: number | undefined): string {
  return formatValue('tokens', count ?? Number.NaN);
}

/** The longest prompt that an engine was configured for. */
export function inputTokensOf(engine: string, settings: Settings): number | undefined {
  return settingOf(engine, settings, knobsOf(engine)?.longestPrompt)?.number;
}

type Asking = { readonly engine: string; readonly version: string | undefined; readonly figures: Figures };

/** What an engine compares at its start: what it asks for with what is free. */
export function requestOf(
  { engine, version, figures }: Asking,
  fraction: number | undefined,
): Pick<StartInput, 'requestedBytes' | 'freeBytes'> {
  const { totalBytes, freeAtStartBytes: freeBytes } = figures;
  const feature = knobsOf(engine)?.comparesFree;
  if (feature === undefined || totalBytes === undefined || fraction === undefined) return {};
  if (version !== undefined && stateOfFeature(feature, version) === 'no') return {};
  return { requestedBytes: totalBytes * fraction, freeBytes };
}

function refuses(why: string): StartAnswer {
  return { kind: 'refuses', why };
}

/**
 * Whether a prompt has to fit into one forward pass: yes, no, or not known. vLLM V0 had it so unless chunked prefill was
 * on; V1 chunks.
 */
export function needsWholePrompts(knobs: Knobs, of: Passing): boolean | undefined {
  if (knobs.wholePrompts !== 'by-version') return knobs.wholePrompts === 'yes';
  const chunked = settingOf(of.engine, of.settings, '--enable-chunked-prefill');
  if (chunked !== undefined) return !isOn(chunked);
  if (of.figures.generation === 'V1') return false;
  if (of.version !== undefined && stateOfFeature('vllm.v1', of.version) === 'always') return false;
  return tookPieces(knobs, of) ? false : undefined;
}

type Passing = Asking & {
  readonly settings: Settings;
  /** What was in force when the figures were printed, where that is another. */
  readonly printedWith?: Settings;
};

// Without chunks vLLM refuses a pass below the longest length before it loads anything (vllm/config.py, SchedulerConfig): one
// that sized its pool so takes prompts in pieces.
function tookPieces(knobs: Knobs, { engine, figures, settings, printedWith = settings }: Passing): boolean {
  const { kvTokens, kvAvailableBytes, maxModelLen } = figures;
  const pass = settingOf(engine, printedWith, knobs.batched)?.number;
  const length = settingOf(engine, printedWith, knobs.length)?.number ?? maxModelLen;
  const isSized = kvTokens !== undefined || kvAvailableBytes !== undefined;
  return isSized && pass !== undefined && pass > 0 && length !== undefined && pass < length;
}
