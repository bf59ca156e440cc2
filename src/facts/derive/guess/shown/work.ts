import type { Cause } from '../../../../model/taxonomy.ts';
import type { Told } from '../told/account.ts';

type Work = { readonly rows: readonly Told[]; readonly args: string };

const RUNNING = /(?:num_requests_running|num_running_reqs|batch_current_size)\b[^\n]*?[\s:](\d{1,5})(?:\.0)?\s*$/;
const QUEUED = /(?:num_requests_waiting|num_queue_reqs|queue_size)\b[^\n]*?[\s:](\d{1,6})(?:\.0)?\s*$/;
const LENGTH = /--(?:max[-_]model[-_]len|context[-_]length|session[-_]len|max[-_]total[-_]tokens)[ =](\d{4,8})\b/;
const BATCHED =
  /--(?:max[-_]num[-_]batched[-_]tokens|max[-_]batch[-_]prefill[-_]tokens|chunked[-_]prefill[-_]size)[ =](\d{4,8})\b/;
const OF_MEDIA = /--limit[-_]mm[-_]per[-_]prompt\b|--skip[-_]mm[-_]profiling\b|\bmm_processor_kwargs\b/;
const OF_PROBABILITIES = /--max[-_]logprobs[ =][1-9]\d{1,3}\b/;
const FEW = 2;
const MANY = 64;
const LONG = 65_536;
const LARGE = 65_536;

/** What a server was at when its card was full, by its gauges and by what it was told to admit. */
export function causeAtWork({ rows, args }: Work): Cause {
  const running = numberIn(rows, RUNNING);
  const queued = numberIn(rows, QUEUED);
  const length = Number(LENGTH.exec(args)?.[1] ?? 0);
  if (running !== undefined && running >= MANY && (queued ?? 0) > 0) return 'gpu.burst.concurrency';
  if (running !== undefined && running <= FEW && length >= LONG) return 'gpu.burst.long-context';
  if (OF_MEDIA.test(args)) return 'gpu.burst.multimodal';
  if (OF_PROBABILITIES.test(args)) return 'gpu.burst.logits';
  return Number(BATCHED.exec(args)?.[1] ?? 0) >= LARGE ? 'gpu.burst.batched-tokens' : 'gpu.burst.headroom';
}

function numberIn(rows: readonly Told[], pattern: RegExp): number | undefined {
  const found = rows.map(({ text }) => pattern.exec(text)?.[1]).findLast((one) => one !== undefined);
  return found === undefined ? undefined : Number(found);
}
