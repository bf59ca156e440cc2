/** Requests that reach a service. Counts are per replica set, shared by its ready replicas. */
export type TrafficShape = {
  /** Requests that arrive per second. */
  readonly requestsPerSecond: number;
  /** Tokens of a typical prompt, and of one in a hundred. */
  readonly promptTokens: number;
  readonly longPromptTokens: number;
  readonly outputTokens: number;
  /** Share of a prompt that another one had before, 0 to 1. */
  readonly sharedPrefix?: number;
  /** Images of a request, decoded in the API server's memory, and run through the encoder. */
  readonly images?: number;
  /** Requests ask for log-probabilities of the prompt. */
  readonly promptLogprobs?: boolean;
};

/** Nobody asks anything. */
export const NO_TRAFFIC: TrafficShape = {
  requestsPerSecond: 0,
  promptTokens: 0,
  longPromptTokens: 0,
  outputTokens: 0,
};
