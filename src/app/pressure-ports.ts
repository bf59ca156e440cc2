import type { ReadContext } from './ports.ts';

/** What one look at the metrics of a pod showed; undefined where they do not tell. Counters count since their process began. */
export type LoadReading = {
  /** Epoch ms. */
  readonly at: number;
  /** 0 to 1. */
  readonly kvUsed: number | undefined;
  readonly running: number | undefined;
  readonly waiting: number | undefined;
  /** Counter. */
  readonly preemptions: number | undefined;
  /** Counter of generated tokens. */
  readonly tokens: number | undefined;
  /** Counter of finished requests. */
  readonly finished: number | undefined;
  /** Counter of processes that the kernel killed in the containers. */
  readonly oomKills: number | undefined;
  /** Counter of container restarts. */
  readonly restarts: number | undefined;
};

export type LoadAsk = {
  readonly namespace: string;
  readonly pods: readonly { readonly name: string }[];
  /** When each reading is, epoch ms, in order and evenly spaced. */
  readonly at: readonly number[];
};

/** How busy pods were lately, by pod name. Never throws. */
export interface LoadReadings {
  read(
    ask: LoadAsk,
    context: ReadContext,
  ): Promise<
    | { readonly kind: 'read'; readonly pods: ReadonlyMap<string, readonly LoadReading[]> }
    | { readonly kind: 'unknown'; readonly why: string }
  >;
}
