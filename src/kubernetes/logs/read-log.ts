import type { Clock, PodTarget, ReadBudget, ReadContext } from '../../app/ports.ts';
import type { CauseFinder } from '../../model/log-reading.ts';
import type { LogRead, NotRead } from '../../model/snapshot.ts';
import type { KubeFailure } from '../api/failure.ts';
import type { KubeHttp, KubeRequest } from '../api/http.ts';
import { requestFor } from '../api/resource.ts';
import { assemble, type Ending, type HeadRead, type LogParts, type StreamRead } from './assemble.ts';
import { createKeeper, type Keeper } from './keeper.ts';
import type { LogPlan } from './plan-logs.ts';
import { rotatedAway, sayLog } from './say-log.ts';

export type LogDeps = {
  readonly http: KubeHttp;
  readonly clock: Clock;
  readonly target: PodTarget;
  readonly context: ReadContext;
  readonly scanner: () => CauseFinder;
};

type LogShare = {
  /** Calls for HEAD and CRASH were taken from the budget before. */
  readonly head: boolean;
  readonly crash: boolean;
  readonly maxBytes: number;
  /** The whole log may be read where its ends name no cause. */
  readonly deep: boolean;
};

/** A log as it was read; `read` undefined where nothing of it could be had. `spentMs` is its longest chain of calls. */
export type LogOutcome = {
  readonly plan: LogPlan;
  readonly read: { readonly text: string; readonly log: LogRead } | undefined;
  readonly notRead: readonly NotRead[];
  readonly spentMs: number;
};

export const HEAD_BYTES = 256 * 1024;
const RING_BYTES = 512 * 1024;
const WINDOW_MS = 120_000;
const TAIL_LINES = 2000;
const TAIL_BYTES = 2 * 1024 * 1024;
const MIN_TAIL_LINES = 40;
// A window in which an instance said less than this does not show its end.
const SILENT_BYTES = 1024;
const DEEP_BYTES = 64 * 1024 * 1024;
const DEEP_MS = 20_000;
// For what is still to be read about the pod.
const SPARE_BYTES = 1_500_000;

/** Reads one log by its beginning and its end, and as a whole only where these name no cause. At most four calls. */
export async function readLog(deps: LogDeps, plan: LogPlan, share: LogShare): Promise<LogOutcome> {
  const began = deps.clock.monotonic();
  const [head, crash] = await Promise.all([
    share.head ? readHead(deps, plan) : left(),
    share.crash ? readCrash(deps, plan, share) : left(),
  ]);
  const tail = missesEnd(head, crash, deps) ? await readTail(deps, plan, crash.read) : undefined;
  const windows = [crash.read, tail?.read].flatMap((read) => read ?? []);
  const ends: LogParts = { head: head.read, windows, deep: undefined };
  const found = head.found || crash.found || (tail?.found ?? false);
  const deep = share.deep && !found && isLarger(ends) ? await readDeep(deps, plan) : undefined;
  const failures = [head.failure, crash.failure].flatMap((failure) => failure ?? []);
  return {
    plan,
    ...sayLog(plan, { ...ends, deep: deep?.read }, { failures, deepFailure: deep?.failure }),
    spentMs: deps.clock.monotonic() - began,
  };
}

type Part<T> = { readonly read: T | undefined; readonly failure: KubeFailure | undefined; readonly found: boolean };

async function left(): Promise<Part<never>> {
  const failure: KubeFailure = { reason: 'budget', code: 'deadline', detail: 'log call limit' };
  return { read: undefined, failure, found: false };
}

async function readHead(deps: LogDeps, plan: LogPlan): Promise<Part<HeadRead>> {
  const answer = await ask(deps, plan, { limitBytes: HEAD_BYTES });
  if (answer.kind === 'failed') return { read: undefined, failure: answer.failure, found: false };
  const chunks: Uint8Array[] = [];
  const scan = deps.scanner();
  const { signal, budget } = deps.context;
  const sink = (chunk: Uint8Array) => {
    chunks.push(chunk);
    scan.push(chunk);
  };
  const ending = await readStream(answer.chunks, sink, { signal, budget, maxBytes: HEAD_BYTES });
  const bytes = Buffer.concat(chunks);
  await deps.clock.breathe();
  const rotated = rotatedAway(plan, bytes.subarray(0, 200).toString('latin1')) !== undefined;
  return { read: { bytes, ending, rotated }, failure: undefined, found: scan.foundCause };
}

// The window by time holds the end however long its lines are.
function readCrash(deps: LogDeps, plan: LogPlan, { maxBytes }: LogShare): Promise<Part<StreamRead>> {
  if (plan.endedAt === undefined) return readWindow(deps, plan, { tailLines: TAIL_LINES }, maxBytes);
  const sinceTime = new Date(plan.endedAt - WINDOW_MS).toISOString();
  return readWindow(deps, plan, { sinceTime }, Math.max(RING_BYTES, maxBytes - TAIL_BYTES));
}

// A window by time may be silent, or so full that its end was not reached.
function missesEnd(head: Part<HeadRead>, { read }: Part<StreamRead>, { context }: LogDeps): boolean {
  if (read === undefined || head.read?.ending === 'end' || context.budget.bytesLeft < RING_BYTES) return false;
  return read.ending === 'cap' || (read.ending === 'end' && read.kept.bytes < SILENT_BYTES);
}

async function readTail(
  deps: LogDeps,
  plan: LogPlan,
  before: StreamRead | undefined,
): Promise<Part<StreamRead> | undefined> {
  if (!deps.context.budget.take('log')) return undefined;
  const fitting = Math.floor((TAIL_BYTES * 0.8) / lineBytes(before));
  const tailLines = Math.max(MIN_TAIL_LINES, Math.min(TAIL_LINES, fitting));
  return readWindow(deps, plan, { tailLines }, TAIL_BYTES);
}

// A selection by lines is sent from its start: with long lines so many would never come to the end.
function lineBytes(before: StreamRead | undefined): number {
  if (before === undefined) return 1;
  const { bytes } = before.kept.ring;
  let feeds = 1;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) feeds += 1;
  return Math.max(1, bytes.byteLength / feeds);
}

async function readWindow(
  deps: LogDeps,
  plan: LogPlan,
  window: LogWindow,
  maxBytes: number,
): Promise<Part<StreamRead>> {
  const answer = await ask(deps, plan, window);
  if (answer.kind === 'failed') return { read: undefined, failure: answer.failure, found: false };
  const keeper = createKeeper({ scanner: deps.scanner, ringBytes: RING_BYTES });
  const { signal, budget } = deps.context;
  const ending = await readStream(answer.chunks, keeper.push, { signal, budget, maxBytes });
  return partOf(keeper, ending);
}

async function readDeep(deps: LogDeps, plan: LogPlan): Promise<Part<StreamRead>> {
  const { budget } = deps.context;
  if (!budget.take('log')) return left();
  budget.allowDeepScan();
  const signal = AbortSignal.any([deps.context.signal, AbortSignal.timeout(DEEP_MS)]);
  const answer = await ask({ ...deps, context: { ...deps.context, budget, signal } }, plan, {});
  if (answer.kind === 'failed') return { read: undefined, failure: answer.failure, found: false };
  const keeper = createKeeper({ scanner: deps.scanner, ringBytes: 0 });
  const maxBytes = Math.max(0, Math.min(DEEP_BYTES, budget.bytesLeft - SPARE_BYTES));
  const limits = { signal, budget, maxBytes, enough: () => keeper.full };
  return partOf(keeper, await readStream(answer.chunks, keeper.push, limits));
}

function partOf(keeper: Keeper, ending: StreamRead['ending']): Part<StreamRead> {
  return { read: { kept: keeper.kept(ending === 'end'), ending }, failure: undefined, found: keeper.found };
}

// A part of a log, with the kubelet's times before the lines.
function ask({ http, target, context }: LogDeps, { container, previous }: LogPlan, window: LogWindow) {
  const request: KubeRequest = {
    ...requestFor('get', { resource: 'pods/log', namespace: target.namespace, name: target.pod }),
    query: { container, ...(previous && { previous }), timestamps: true, ...window },
    accept: '*/*',
    // Of six calls for logs; a node out of reach fails again in the same way.
    tries: 2,
    prepaid: true,
  };
  return http.getStream(request, context);
}

// Bytes lie between the beginning and the end, or the end was not reached.
function isLarger(parts: LogParts): boolean {
  if (parts.head === undefined || parts.head.bytes.byteLength < HEAD_BYTES) return false;
  const last = parts.windows.at(-1);
  return last?.ending !== 'end' || assemble(parts).missing !== 0;
}

type LogWindow = { readonly limitBytes?: number; readonly tailLines?: number; readonly sinceTime?: string };

type StreamLimits = {
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Asked after each chunk: true ends the reading. */
  readonly enough?: () => boolean;
};

/** Hands the chunks of a log to `sink` until it ends, breaks, or is enough. Never throws: what came before a break has been handed over. */
async function readStream(
  chunks: AsyncIterable<Uint8Array>,
  sink: (chunk: Uint8Array) => void,
  { budget, signal, maxBytes, enough = () => false }: StreamLimits,
): Promise<Ending> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      budget.addBytes(chunk.byteLength);
      bytes += chunk.byteLength;
      sink(chunk);
      // Leaving the loop closes the connection.
      if (bytes >= maxBytes || enough()) return 'cap';
      if (budget.bytesLeft <= 0) return 'budget';
    }
    return 'end';
  } catch {
    return signal.aborted ? 'deadline' : 'dropped';
  }
}
