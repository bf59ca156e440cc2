/** Requests as they were in the step that died: prompt tokens of the longest, how many at once, tokens that each may answer. */
export type RequestShape = {
  readonly promptTokens: number;
  readonly concurrency: number;
  readonly maxTokens: number;
};

// Where the line does not say: enough to see that decoding works.
const FEW_TOKENS = 16;

/** The shape in the scheduler dump that vLLM prints when a step dies; undefined where the line holds none. */
export function readRequestShape(line: string): RequestShape | undefined {
  const scheduled = numbersIn(/num_scheduled_tokens=\{([^}]{0,100000})\}/.exec(line)?.[1] ?? '', /: ?(\d{1,9})/g);
  const prompts = numbersIn(line, /prompt_token_ids_len=(\d{1,9})/g);
  const total = Number(/total_num_scheduled_tokens=(\d{1,9})/.exec(line)?.[1] ?? 0);
  // A prompt that is read in chunks is at least as long as its chunk.
  const promptTokens = Math.max(0, ...prompts, ...(scheduled.length > 0 ? scheduled : [total]));
  if (promptTokens === 0) return undefined;
  const maxTokens = Math.max(0, ...numbersIn(line, /\bmax_tokens=(\d{1,9})/g));
  const concurrency = Math.max(1, scheduled.length, prompts.length);
  return { promptTokens, concurrency, maxTokens: maxTokens === 0 ? FEW_TOKENS : maxTokens };
}

function numbersIn(text: string, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map((match) => Number(match[1]));
}
