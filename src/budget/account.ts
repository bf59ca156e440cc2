import type {
  Budget,
  BudgetOutcome,
  KvBudget,
  LengthRow,
  LoadBudget,
  ProfileBudget,
  SwapBudget,
} from '../model/budget.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { GIB } from '../model/quantity.ts';
import type { Edit, Remedy } from '../model/verdict.ts';
import { contradictionsIn } from './contradictions.ts';
import { blockTokensOf, settingOf } from './figures.ts';
import { stepTokensOf } from './fit-context.ts';
import { type Fit, fitProfile } from './fit-profile.ts';
import { amountOf, pick, type Reckoned, reckon } from './known-amount.ts';
import { sequencesOf } from './kv-bytes.ts';
import { poolAt } from './kv-pool.ts';
import { rowsOf } from './memory-rows.ts';
import { countsAlike, type EngineState, fractionOf, inForce, outcomeOf, wholeSequences } from './outcome.ts';
import { missing } from './printed-lines.ts';
import { PROFILE_NAMES, type ProfileName, profileOf } from './profiles.ts';
import { outcomeWith, propose, type WantedFlag } from './proposal.ts';
import { demandOf, safeSettings } from './safe-settings.ts';

export type AccountInput = {
  readonly id: string;
  readonly state: EngineState;
  /** Share of the KV pool in use, 0 to 1, and the requests that use it. */
  readonly usedShare: number | undefined;
  readonly running: number | undefined;
  readonly wanted: readonly WantedFlag[];
  /** Which way the signature moves the fraction. */
  readonly direction: Remedy['direction'];
  /** What is wrong with the config.json of the model. */
  readonly problems?: readonly string[];
  /** A profile to try; what is wanted by name is above it. */
  readonly profile?: ProfileName | undefined;
};

/** The memory of one GPU of an engine: what is static, what the cache has, what more requests it holds. */
export function accountFor({
  id,
  state,
  usedShare,
  running,
  direction,
  profile,
  problems = [],
  ...asked
}: AccountInput): Budget {
  const { version, product, figures } = state;
  const wanted = [...(profile === undefined ? [] : wantedOf(state, profile, direction)), ...asked.wanted];
  const now = outcomeOf(state);
  const kv = kvOf(state, now);
  return {
    id,
    engine: state.engine,
    version,
    product,
    model: figures.model,
    rows: rowsOf(state, now.pool, kv.basis),
    kv,
    load: loadOf(state, kv, { usedShare, running }),
    demand: demandOf(state, now),
    safe: safeSettings(state, now),
    lengths: lengthsOf(state, now),
    now,
    problems: [...problems, ...contradictionsIn(state)],
    proposal: wanted.length === 0 ? undefined : propose(state, wanted),
    profiles: profilesFor(state, direction),
    ...(state.fixed === undefined ? {} : { fixed: state.fixed }),
    ...(profile === undefined ? {} : { profile }),
  };
}

function kvOf(state: EngineState, now: BudgetOutcome): KvBudget {
  const { pool, interval, bytesPerToken, tokens } = now;
  const memory = sequencesOf(state);
  const own = 'missing' in memory ? undefined : memory;
  const { basis } = poolAt({ ...state, fraction: fractionOf(state), batchedTokens: stepTokensOf(state) });
  const printed = state.figures.kvBlocks;
  const blocks: Reckoned =
    printed !== undefined
      ? { kind: 'known', value: printed }
      : own?.bytesPerBlock !== undefined && pool.kind === 'known'
        ? { kind: 'known', value: Math.floor(Math.max(0, pool.value) / own.bytesPerBlock) }
        : reckon({ tokens: amountOf(tokens) }, (of) => Math.floor(of.tokens / blockTokensOf(state)));
  const swap = swapOf(state, bytesPerToken);
  return {
    basis,
    bytes: pool,
    ...(interval === undefined ? {} : { interval }),
    bytesPerToken,
    fixedBytes: own?.fixedBytes ?? 0,
    blockTokens: own?.blockTokens ?? blockTokensOf(state),
    blocks: blocks.kind === 'known' || tokens.kind === 'known' ? blocks : tokens,
    tokens,
    ...(swap === undefined ? {} : { swap }),
  };
}

type Use = { readonly usedShare: number | undefined; readonly running: number | undefined };

function loadOf(state: EngineState, kv: KvBudget, { usedShare, running: all }: Use): LoadBudget {
  const { engine, knobs } = state;
  const copies = settingOf(engine, state.settings, knobs.copies)?.number ?? 1;
  // The requests of all engines say nothing of the pool of one.
  const running = copies > 1 ? undefined : all;
  const ofOne = copies > 1 ? `the running requests of one of the ${copies} engines` : missing(engine, 'running');
  const names = {
    blocks: 'the blocks of the KV cache (see above)',
    used: missing(engine, 'usedShare'),
    running: running === 0 ? 'a running request (there are none)' : ofOne,
    most: missing(engine, 'maxSeqs'),
    each: 'the KV bytes per token (see above)',
  };
  const active = running === 0 ? undefined : running;
  const blocks = amountOf(kv.blocks);
  const usedBlocks = reckon(
    { [names.blocks]: blocks, [names.used]: usedShare },
    (of) => pick(of, names.blocks) * pick(of, names.used),
  );
  const parts = { [names.blocks]: blocks, [names.used]: usedShare, [names.running]: active };
  const blocksPerRequest = reckon(
    parts,
    (of) => (pick(of, names.blocks) * pick(of, names.used)) / pick(of, names.running),
  );
  const most = inForce(state, knobs.sequences) ?? state.figures.maxSeqs;
  return {
    usedBlocks,
    blocksPerRequest,
    moreRequests: moreOf(blocks, usedBlocks, blocksPerRequest),
    batchAllows: reckon({ [names.most]: most, [names.running]: running }, (of) =>
      Math.max(0, pick(of, names.most) - pick(of, names.running)),
    ),
    wasteBytes: reckon(
      { [names.running]: running, [names.each]: amountOf(kv.bytesPerToken) },
      (of) => pick(of, names.running) * pick(of, names.each) * kv.blockTokens,
    ),
  };
}

function moreOf(blocks: number | undefined, used: Reckoned, each: Reckoned): Reckoned {
  if (each.kind === 'unknown') return each;
  const size = Math.max(1, each.value);
  return reckon({ blocks, used: amountOf(used) }, (of) => Math.max(0, Math.floor((of.blocks - of.used) / size)));
}

const SHORTEST = 2048;
const MOST_ROWS = 9;

// Doubling from 2048 to the length in force; where that is not known, to the longest that fits.
function lengthsOf(
  state: EngineState,
  { pool, tokens, bytesPerToken, lengthTokens }: BudgetOutcome,
): readonly LengthRow[] {
  const memory = sequencesOf(state);
  const holds = amountOf(tokens);
  const each = amountOf(bytesPerToken);
  if ('missing' in memory || holds === undefined || each === undefined || holds <= 0) return [];
  const longest = lengthTokens ?? holds;
  const doubled: number[] = [];
  for (let at = SHORTEST; at < longest && doubled.length < MOST_ROWS - 1; at *= 2) doubled.push(at);
  const bytes = amountOf(pool) ?? holds * each;
  const tokensFor = (length: number) =>
    countsAlike(memory, bytes, [length, lengthTokens]) ? holds : memory.tokensIn(bytes, length);
  return [...doubled, longest].map((length) => ({
    lengthTokens: length,
    sequences: wholeSequences(memory.concurrency({ bytes, tokens: tokensFor(length) }, length)),
    bytesEach: memory.needFor(length),
  }));
}

/** What each profile would set in an engine, and whether it would start with it. */
export function profilesFor(state: EngineState, direction: Remedy['direction']): readonly ProfileBudget[] {
  return PROFILE_NAMES.flatMap((name) => {
    const fit = fitOf(state, name, direction);
    return fit.kind === 'none' ? [] : [budgetOf(state, name, fit)];
  });
}

/** The values of a profile, as somebody would type them; none where it is refused. */
export function wantedOf(state: EngineState, name: ProfileName, direction: Remedy['direction']): readonly WantedFlag[] {
  const fit = fitOf(state, name, direction);
  return fit.kind === 'fitted' ? typed(fit.edits) : [];
}

function typed(edits: readonly Edit[]): readonly WantedFlag[] {
  return edits.map(({ flag, to }) => ({ flag, text: to, number: Number(to) }));
}

function fitOf(state: EngineState, profile: ProfileName, direction: Remedy['direction']): Fit {
  return fitProfile({ ...state, profile, direction });
}

function budgetOf(state: EngineState, name: ProfileName, fit: Exclude<Fit, { kind: 'none' }>): ProfileBudget {
  const says = profileOf(state.book, state.engine, name)?.says ?? '';
  if (fit.kind === 'refused') {
    return { name, says, edits: [], left: [], start: { kind: 'refuses', why: fit.why }, sum: fit.sum };
  }
  const { edits, left, sum } = fit;
  const { start } = edits.length === 0 ? outcomeOf(state) : outcomeWith(state, typed(edits));
  return { name, says, edits, left, start, sum };
}

// vllm/config.py and vllm/worker/cache_engine.py of the first engine (V0).
const DEFAULT_GIB = 4;

/** KV blocks that vLLM pins in host memory for each GPU at its start, as it printed them, else by its swap space; undefined for an engine that has none. */
export function swapOf(state: EngineState, bytesPerToken: Reckoned): SwapBudget | undefined {
  const { engine, version, settings, figures } = state;
  if (engine !== 'vllm') return undefined;
  const bytes = (settingOf(engine, settings, '--swap-space')?.number ?? DEFAULT_GIB) * GIB;
  const { swapBlocks } = figures;
  // Only the first engine prints them, and some of its runs take none, whatever the default says.
  if (swapBlocks !== undefined) {
    return { bytes: swapBlocks > 0 ? bytes : 0, blocks: { kind: 'known', value: swapBlocks } };
  }
  if (version === undefined || !isFirstEngine(version)) return undefined;
  if (bytesPerToken.kind === 'unknown') return { bytes, blocks: bytesPerToken };
  const value = Math.floor(bytes / (bytesPerToken.value * blockTokensOf(state)));
  return { bytes, blocks: { ...bytesPerToken, value } };
}

function isFirstEngine(version: string): boolean {
  const state = stateOfFeature('vllm.v1', version);
  return state === 'no' || state === 'asked';
}
