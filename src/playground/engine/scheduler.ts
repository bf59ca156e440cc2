import { BLOCK_TOKENS } from './arithmetic.ts';

/** A request on its way through an engine. Amounts are tokens. */
export type Request = {
  readonly prompt: number;
  /** The part of the prompt that others had before. */
  readonly shared: number;
  readonly output: number;
  readonly images: number;
  readonly promptLogprobs: boolean;
  readonly arrivedAt: number;
};

type Running = { readonly request: Request; prefilled: number; generated: number; firstTokenAt: number | undefined };

export type SchedulerOptions = {
  readonly blocks: number;
  readonly sequences: number;
  readonly stepTokens: number;
  readonly maxModelLen: number;
  readonly prefixCache: boolean;
  /** Tokens per second that the GPU prefills, and that one request generates. */
  readonly prefillRate: number;
  readonly decodeRate: number;
  /** Share of the blocks of finished requests that the prefix cache never frees, a bug of some versions. */
  readonly pinnedShare: number;
  /** Without free blocks the batch gives up requests until the rest fits; false in versions that miscount, and die. */
  readonly retracts: boolean;
};

/** What a second of work took at its largest step, and what came of it. */
export type SecondOfWork = {
  readonly tokens: number;
  readonly sampled: number;
  readonly context: number;
  readonly logprobTokens: number;
  readonly images: number;
  readonly finished: readonly { readonly request: Request; readonly firstTokenMs: number; readonly totalMs: number }[];
  readonly prefillTokens: number;
  readonly decodeTokens: number;
  readonly preempted: number;
  /** The pool has no block left for the batch, or not even for its only request. */
  readonly exhausted: 'batch' | 'only-request' | undefined;
};

export type Scheduler = {
  readonly running: number;
  readonly waiting: number;
  readonly usedShare: number;
  readonly pinnedBlocks: number;
  readonly lookedUp: number;
  readonly hits: number;
  /** False: longer than the model's maximum, answered with 400. */
  offer(request: Request): boolean;
  second(now: number): SecondOfWork;
};

// Clients give up then.
const PATIENCE_MS = 120_000;

const blocksOf = (tokens: number): number => Math.ceil(tokens / BLOCK_TOKENS);

/** Continuous batching with chunked prefill, in seconds. */
export function createScheduler(options: SchedulerOptions): Scheduler {
  let waiting: Request[] = [];
  let running: Running[] = [];
  let pinned = 0;
  let lookedUp = 0;
  let hits = 0;
  const cachedOf = ({ shared }: Request): number => (options.prefixCache ? shared : 0);
  const heldBy = ({ request, prefilled, generated }: Running): number =>
    blocksOf(Math.max(prefilled, cachedOf(request)) + generated - cachedOf(request));
  const used = (): number => running.reduce((sum, one) => sum + heldBy(one), 0) + pinned;
  const free = (): number => options.blocks - used();

  const admit = (): void => {
    while (waiting.length > 0 && running.length < options.sequences) {
      const [request] = waiting as [Request];
      if (free() < blocksOf(request.prompt - cachedOf(request) + 1)) return;
      waiting.shift();
      lookedUp += options.prefixCache ? request.prompt : 0;
      hits += cachedOf(request);
      running.push({ request, prefilled: cachedOf(request), generated: 0, firstTokenAt: undefined });
    }
  };

  const prefill = (now: number) => {
    let budget = options.prefillRate;
    let [images, context, logprobTokens, pending] = [0, 0, 0, 0];
    for (const one of running) {
      const { request } = one;
      const left = request.prompt - one.prefilled;
      if (left <= 0 || budget <= 0) continue;
      const taken = Math.min(left, budget);
      budget -= taken;
      pending += taken;
      if (one.prefilled === cachedOf(request)) images = Math.max(images, request.images);
      one.prefilled += taken;
      context = Math.max(context, one.prefilled - Math.min(taken, options.stepTokens));
      if (request.promptLogprobs) logprobTokens = Math.max(logprobTokens, Math.min(taken, options.stepTokens));
      if (one.prefilled >= request.prompt) one.firstTokenAt = now;
    }
    return { images, context, logprobTokens, pending };
  };

  // Each sequence that generates needs a block now and then; without one the youngest starts over.
  const decode = (): Pick<SecondOfWork, 'preempted' | 'exhausted'> & { readonly tokens: number } => {
    let tokens = 0;
    let preempted = 0;
    for (const one of running.filter(({ firstTokenAt }) => firstTokenAt !== undefined)) {
      const step = Math.min(options.decodeRate, one.request.output - one.generated);
      one.generated += step;
      tokens += step;
    }
    if (free() < 0 && running.length > 1 && !options.retracts) return { tokens, preempted, exhausted: 'batch' };
    while (free() < 0 && running.length > 1) {
      const youngest = running.pop() as Running;
      waiting.unshift(youngest.request);
      preempted += 1;
    }
    return { tokens, preempted, exhausted: free() < 0 ? 'only-request' : undefined };
  };

  return {
    get running() {
      return running.length;
    },
    get waiting() {
      return waiting.length;
    },
    get usedShare() {
      return options.blocks === 0 ? 0 : Math.min(1, used() / options.blocks);
    },
    get pinnedBlocks() {
      return pinned;
    },
    get lookedUp() {
      return lookedUp;
    },
    get hits() {
      return hits;
    },
    offer(request) {
      if (request.prompt + request.output > options.maxModelLen) return false;
      waiting.push(request);
      return true;
    },
    second(now) {
      waiting = waiting.filter(({ arrivedAt }) => now - arrivedAt < PATIENCE_MS);
      admit();
      const filled = prefill(now);
      const sampled = running.filter(({ firstTokenAt }) => firstTokenAt !== undefined).length;
      const decoded = decode();
      const done = running.filter(({ request, generated }) => generated >= request.output);
      running = running.filter((one) => !done.includes(one));
      if (options.prefixCache) {
        const kept = done.reduce((sum, one) => sum + heldBy(one), 0) * options.pinnedShare;
        pinned = Math.min(options.blocks, pinned + Math.ceil(kept));
      }
      return {
        tokens: Math.min(options.stepTokens, filled.pending + sampled),
        sampled,
        context: filled.context,
        logprobTokens: filled.logprobTokens,
        images: filled.images,
        finished: done.map(({ request, firstTokenAt = now }) => ({
          request,
          firstTokenMs: firstTokenAt - request.arrivedAt,
          totalMs: now - request.arrivedAt,
        })),
        prefillTokens: filled.pending,
        decodeTokens: decoded.tokens,
        preempted: decoded.preempted,
        exhausted: decoded.exhausted,
      };
    },
  };
}
