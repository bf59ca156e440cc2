import type { Edit } from './verdict.ts';

/** A figure that came out of a sum, or the figures that the sum lacks, in the reader's words. */
export type Reckoned = Known | Lacking;
/** `about`: made of figures that were printed rounded. */
export type Known = { readonly kind: 'known'; readonly value: number; readonly about?: true };
export type Lacking = { readonly kind: 'unknown'; readonly missing: readonly string[] };

/** From 5% to 95%, in bytes, by so many earlier starts. */
export type Interval = {
  readonly low: number;
  readonly high: number;
  readonly records: number;
  /** Where the startups are of the same cluster: what their mean adds to the estimate. */
  readonly middle?: number;
};

/** One line of the memory of a GPU, in bytes. `note` says where it comes from or what it means. */
export type BudgetRow = { readonly name: string; readonly bytes: Reckoned; readonly note?: string };

/** The KV cache of one GPU. `printed`: the engine's own figure; `estimated`: made of weights and rules of thumb. */
export type KvBudget = {
  readonly basis: 'printed' | 'estimated' | 'unknown';
  readonly bytes: Reckoned;
  /** Between what the pool is by earlier starts; absent where it is printed or unknown. */
  readonly interval?: Interval;
  readonly bytesPerToken: Reckoned;
  /** What one sequence takes whatever its length: windows and states. */
  readonly fixedBytes: number;
  readonly blockTokens: number;
  readonly blocks: Reckoned;
  readonly tokens: Reckoned;
  readonly swap?: SwapBudget;
};

/** KV blocks of vLLM V0 in host memory, pinned for each GPU. */
export type SwapBudget = { readonly bytes: number; readonly blocks: Reckoned };

/** What the requests of the moment take of the cache, and what is left. */
export type LoadBudget = {
  readonly usedBlocks: Reckoned;
  readonly blocksPerRequest: Reckoned;
  /** More requests of the same size that fit; the batch may allow fewer. */
  readonly moreRequests: Reckoned;
  readonly batchAllows: Reckoned;
  /** At most one block of each running sequence is not full. */
  readonly wasteBytes: Reckoned;
};

/** Values that fit the low end of the interval of the pool; absent where the current ones do, or nothing tells. */
export type SafeSettings = {
  readonly length?: number | undefined;
  /** Sequences of the length in force. */
  readonly sequences?: number | undefined;
  /** The least memory fraction that holds one sequence of the length in force. */
  readonly fraction?: number | undefined;
  /** Options with which this version sizes length or pool itself. */
  readonly automatic: readonly string[];
};

/** What all sequences of the batch limit take at the full length; `pools`: times the KV cache. */
export type Demand = {
  readonly sequences: number;
  readonly lengthTokens: number;
  readonly bytes: number;
  readonly pools: number | undefined;
};

/** How many sequences of a length the cache holds at once. */
export type LengthRow = { readonly lengthTokens: number; readonly sequences: number; readonly bytesEach: number };

/** `doubt`: why it may not start, where the sums leave that open. */
export type StartAnswer =
  | { readonly kind: 'starts'; readonly proven: boolean; readonly doubt?: string }
  | { readonly kind: 'refuses'; readonly why: string };

export type BudgetOutcome = {
  readonly fraction: number | undefined;
  readonly lengthTokens: number | undefined;
  readonly sequences: number | undefined;
  readonly pool: Reckoned;
  readonly interval?: Interval | undefined;
  readonly bytesPerToken: Reckoned;
  readonly tokens: Reckoned;
  /** Sequences of that length that fit, no whole number. */
  readonly concurrency: Reckoned;
  /** Sequences of that length at once, not more than the batch allows. */
  readonly atOnce: Reckoned;
  readonly start: StartAnswer;
};

export type ProposedFlag = {
  readonly flag: string;
  readonly from: string | null;
  readonly to: string;
  /** Set where the sum does not say what it does, or where the engine would refuse it. */
  readonly note: string | undefined;
};

export type Proposal = {
  readonly flags: readonly ProposedFlag[];
  readonly before: BudgetOutcome;
  readonly after: BudgetOutcome;
};

/** What a profile would set, computed to fit; `left` are flags of it that stay as they are, and why. */
export type ProfileBudget = {
  readonly name: string;
  readonly says: string;
  readonly edits: readonly Edit[];
  readonly left: readonly { readonly flag: string; readonly why: string }[];
  readonly start: StartAnswer;
  readonly sum: string;
};

export type Budget = {
  readonly id: string;
  readonly engine: string | undefined;
  readonly version: string | undefined;
  readonly product: string | undefined;
  readonly model: string | undefined;
  readonly rows: readonly BudgetRow[];
  readonly kv: KvBudget;
  readonly load: LoadBudget;
  readonly demand: Demand | undefined;
  readonly safe: SafeSettings;
  readonly lengths: readonly LengthRow[];
  readonly now: BudgetOutcome;
  /** What is missing in the evidence or contradicts itself, in words. */
  readonly problems: readonly string[];
  readonly proposal: Proposal | undefined;
  readonly profiles: readonly ProfileBudget[];
  /** Why there are none, where no argument sets the limits of the engine. */
  readonly fixed?: string;
  readonly profile?: string;
};
