import { HIGHEST_FRACTION, LENGTH_SHARE, VLLM_BLOCK_TOKENS } from '../model/safe-values.ts';
import { wholeBlocks } from './blocks.ts';
import { GIB, hundredths, type Reckoned, reckon } from './reckoned.ts';

type Maybe = number | undefined;

/** What has to stay outside the fraction, besides the graph pool of engines that do not count it. */
export const ROOM_OUTSIDE_BYTES = GIB;

/** KV bytes per token by the engine's own message: needed over length. */
export function bytesPerTokenOf(neededBytes: Maybe, lengthTokens: Maybe): Reckoned {
  return reckon(
    { 'KV memory needed': neededBytes, 'maximum length': lengthTokens },
    (of) => of['KV memory needed'] / of['maximum length'],
  );
}

/** Tokens that the pool holds now, before rounding to blocks. */
export function longestLength(availableBytes: Maybe, bytesPerToken: Maybe): Reckoned {
  return reckon({ 'KV memory available': availableBytes, 'KV bytes per token': bytesPerToken }, (of) =>
    Math.max(0, Math.floor(of['KV memory available'] / of['KV bytes per token'])),
  );
}

/** The length to set: 95 % of the longest, in whole blocks. */
export function lengthToSet(longestTokens: number, blockTokens: number = VLLM_BLOCK_TOKENS): number {
  return wholeBlocks(longestTokens * LENGTH_SHARE, blockTokens);
}

export type RaisedUtilization =
  | { readonly kind: 'usable'; readonly value: number }
  | { readonly kind: 'not-usable'; readonly value: number; readonly why: string }
  | { readonly kind: 'unknown'; readonly missing: readonly string[] };

/** The fraction at which the length asked for would fit, and whether the card can give it. */
export function utilizationThatFits(input: {
  readonly utilization: Maybe;
  readonly neededBytes: Maybe;
  readonly availableBytes: Maybe;
  readonly totalBytes: Maybe;
  /** Graph pool that is not counted inside the fraction; 0 where it is. */
  readonly graphsOutsideBytes: Maybe;
}): RaisedUtilization {
  const { graphsOutsideBytes, ...parts } = input;
  const exact = reckon(parts, (of) => of.utilization + (of.neededBytes - of.availableBytes) / of.totalBytes);
  if (exact.kind === 'unknown') return exact;
  const value = hundredths(exact.value, 'up');
  const room = (1 - value) * (input.totalBytes ?? 0);
  if (value > HIGHEST_FRACTION) return { kind: 'not-usable', value, why: 'more than 0.95 leaves nothing for the rest' };
  if (room < (graphsOutsideBytes ?? 0) + ROOM_OUTSIDE_BYTES) {
    return { kind: 'not-usable', value, why: `${(room / GIB).toFixed(2)} GiB outside are less than graphs and 1 GiB` };
  }
  return { kind: 'usable', value };
}

/** Ranks from which the KV cache of the length fits by itself: KV per token falls until there is one rank per KV head. */
export function ranksThatFit(input: {
  readonly neededBytes: Maybe;
  readonly availableBytes: Maybe;
  readonly ranks: number;
  readonly kvHeads: Maybe;
}): Reckoned {
  const { neededBytes, availableBytes, ranks, kvHeads } = input;
  const parts = { 'KV memory needed': neededBytes, 'KV memory available': availableBytes, 'KV heads': kvHeads };
  return reckon(parts, (of) => {
    for (let tp = ranks * 2; tp <= of['KV heads']; tp *= 2) {
      if ((of['KV memory needed'] * ranks) / tp <= of['KV memory available']) return tp;
    }
    return Number.NaN;
  });
}

export type TorchLine = {
  readonly wantBytes: Maybe;
  readonly freeBytes: Maybe;
  readonly allocatedBytes: Maybe;
  readonly slackBytes: Maybe;
  /** What the line says of its own process ("this process has"). */
  readonly ownBytes: Maybe;
  readonly totalBytes: Maybe;
};

/** What an OOM line of PyTorch tells by its numbers. */
export type TorchAccount = {
  readonly others: Reckoned;
  readonly nonTorch: Reckoned;
  /** More than 1 GiB that is not this process's. */
  readonly sharedGpu: boolean | undefined;
  readonly kind: 'fragmentation' | 'shortage' | 'neither' | 'unknown';
  /** By how much to lower the fraction: twice what is missing, at least 0.02. */
  readonly lowerBy: Reckoned;
};

const FRAGMENTED_SHARE = 0.1;
const LEAST_LOWERING = 0.02;

export function readTorchLine(line: TorchLine): TorchAccount {
  const { wantBytes, freeBytes, allocatedBytes, slackBytes, ownBytes, totalBytes } = line;
  const others = reckon({ totalBytes, freeBytes, ownBytes }, (of) =>
    Math.max(0, of.totalBytes - of.freeBytes - of.ownBytes),
  );
  return {
    others,
    nonTorch: reckon({ ownBytes, allocatedBytes, slackBytes }, (of) =>
      Math.max(0, of.ownBytes - of.allocatedBytes - of.slackBytes),
    ),
    sharedGpu: others.kind === 'known' ? others.value > GIB : undefined,
    kind: kindOf(line),
    lowerBy: reckon({ wantBytes, freeBytes, totalBytes }, (of) =>
      Math.max(LEAST_LOWERING, (2 * Math.max(0, of.wantBytes - of.freeBytes)) / of.totalBytes),
    ),
  };
}

function kindOf({ wantBytes, freeBytes, allocatedBytes, slackBytes }: TorchLine): TorchAccount['kind'] {
  if (wantBytes === undefined || freeBytes === undefined || allocatedBytes === undefined || slackBytes === undefined) {
    return 'unknown';
  }
  if (slackBytes >= wantBytes && slackBytes > FRAGMENTED_SHARE * allocatedBytes) return 'fragmentation';
  return freeBytes < wantBytes && slackBytes < wantBytes ? 'shortage' : 'neither';
}

const SERVING_STEP = 0.03;

/** The fraction after an OOM while serving. Whether the pool then still holds one sequence is a sum of its own. */
export function loweredUtilization(utilization: Maybe, lowerBy: Reckoned): Reckoned {
  const by = lowerBy.kind === 'known' ? Math.max(SERVING_STEP, lowerBy.value) : SERVING_STEP;
  return reckon({ utilization }, (of) => hundredths(of.utilization - by, 'down'));
}

/** SGLang's fraction after a failure: less for graphs and serving, more where the weights leave no memory. */
export function sglangFractionAfter(
  failure:
    | { readonly kind: 'outside-pool'; readonly fraction: Maybe }
    | { readonly kind: 'no-memory-left'; readonly printedMinimum: Maybe },
): Reckoned {
  if (failure.kind === 'outside-pool') {
    return reckon({ fraction: failure.fraction }, (of) => hundredths(of.fraction - 0.05, 'down'));
  }
  return reckon({ 'printed minimum': failure.printedMinimum }, (of) => hundredths(of['printed minimum'] + 0.02, 'up'));
}
