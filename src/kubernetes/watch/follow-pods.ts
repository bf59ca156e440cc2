import type { Clock } from '../../app/ports.ts';
import type { WatchHandler } from '../../app/watch-ports.ts';
import { parseJson } from '../../model/json-file.ts';
import { thrownFailure } from '../api/failure.ts';
import { slept } from '../api/http.ts';
import { isObject } from '../api/objects.ts';
import { linesOf } from './event-lines.ts';
import { versionOf } from './list-pods.ts';
import { contextOf, createReadLimits, openSignal, podsRequest, type WatchReads } from './watch-reads.ts';
import { readWatchedPod } from './watched-pod.ts';

/**
 * How a connection ended. `over`: by its time; `lost`: by a fault; `doubtful`: by one that a version of no use may cause too;
 * `unreadable`: at a line that is no event; `expired`: the API server no longer has what came after the version.
 */
export type WatchEnd = {
  readonly kind: 'over' | 'lost' | 'doubtful' | 'unreadable' | 'expired';
  readonly why: string;
  readonly retryAfter?: number | undefined;
  /** Of the last event or bookmark. */
  readonly version: string;
  readonly events: number;
  readonly livedMs: number;
};

type End = Pick<WatchEnd, 'kind' | 'why' | 'retryAfter'>;

// A bookmark comes about once a minute.
const SILENCE_MS = 120_000;
// An object in etcd has at most 1.5 MiB.
const LONGEST_LINE = 4 * 1024 * 1024;

export type FollowOptions = { readonly version: string; readonly seconds: number; readonly handler: WatchHandler };

/** One connection of a watch: tells what comes after `version`. Never throws for what server or network do. */
export async function followPods(
  reads: WatchReads,
  { version, seconds, handler }: FollowOptions,
  signal: AbortSignal,
): Promise<WatchEnd> {
  const { clock } = reads;
  const open = openSignal(signal);
  const startedAt = clock.monotonic();
  const position = { version, events: 0, heardAt: startedAt };
  let isSilent = false;
  void whenSilent(clock, position, open.signal).then((silent) => {
    isSilent = silent;
    if (silent) open.abort();
  });
  const query = {
    ...{ watch: true, allowWatchBookmarks: true, timeoutSeconds: seconds },
    resourceVersion: version,
  };
  const end = await readEvents({ ...reads, query, position, handler }, open.signal);
  open.abort();
  open.end();
  return {
    ...(isSilent ? { kind: 'doubtful', why: `no event or bookmark for ${SILENCE_MS / 1000} s` } : end),
    version: position.version,
    events: position.events,
    livedMs: clock.monotonic() - startedAt,
  };
}

type Position = { version: string; events: number; heardAt: number };

async function whenSilent(clock: Clock, position: Position, signal: AbortSignal): Promise<boolean> {
  for (let left = SILENCE_MS; left > 0; left = position.heardAt + SILENCE_MS - clock.monotonic()) {
    if (!(await slept(clock, left, signal))) return false;
  }
  return true;
}

type Reading = WatchReads & {
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly position: Position;
  readonly handler: WatchHandler;
};

async function readEvents(reading: Reading, signal: AbortSignal): Promise<End> {
  const { http, clock, position } = reading;
  const limits = createReadLimits({ calls: 1, bytes: Number.POSITIVE_INFINITY });
  const request = { ...podsRequest('watch', reading, reading.query), tries: 1 };
  const answer = await http.getStream(request, contextOf(reading, signal, limits));
  if (answer.kind === 'failed') return failedWith(answer.failure);
  try {
    for await (const line of linesOf(answer.chunks, LONGEST_LINE)) {
      position.heardAt = clock.monotonic();
      const end = line === undefined ? unreadable(reading, 'is too long') : takeLine(reading, line);
      if (end !== undefined) return end;
    }
    return { kind: 'over', why: 'the API server ended the watch' };
  } catch (thrown) {
    return { kind: 'lost', why: thrownFailure(thrown).detail };
  }
}

function failedWith({
  status,
  detail,
  retryAfter,
}: {
  status?: number | undefined;
  detail: string;
  retryAfter?: number | undefined;
}): End {
  // A version that the API server cannot read is as useless as one that it forgot.
  if (status === 410 || status === 400 || status === 422) return { kind: 'expired', why: expiredWords(status) };
  const kind = status !== undefined && status >= 500 ? 'doubtful' : 'lost';
  return { kind, why: `watch not opened: ${detail}`, retryAfter };
}

function expiredWords(code: unknown): string {
  return `the API server cannot resume the watch (${code})`;
}

function unreadable({ handler }: Reading, what: string): End {
  handler.unreadable();
  return { kind: 'unreadable', why: `a line of the watch ${what}` };
}

// Undefined: the watch goes on.
function takeLine(reading: Reading, line: string): End | undefined {
  const { position, handler } = reading;
  const event = parseJson(line);
  if (!isObject(event) || !isObject(event.object)) return unreadable(reading, 'is not an event');
  const { type, object } = event;
  if (type === 'ERROR') return endOf(object);
  if (type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED') {
    const pod = readWatchedPod(object);
    if (pod === undefined) handler.unreadable();
    else if (type === 'DELETED') handler.gone(pod);
    else handler.changed(pod);
    if (pod === undefined && type === 'DELETED') return { kind: 'expired', why: 'a deleted pod cannot be read' };
  } else if (type !== 'BOOKMARK') {
    return unreadable(reading, 'is not an event');
  }
  position.version = versionOf(object) ?? position.version;
  position.events += 1;
  handler.alive(true);
  return undefined;
}

// A Status. Too many requests and faults of the server pass; after any other the position is not to be trusted.
function endOf({ code, details }: Readonly<Record<string, unknown>>): End {
  const passes = typeof code === 'number' && (code === 429 || code >= 500);
  if (!passes) return { kind: 'expired', why: expiredWords(code) };
  const seconds = isObject(details) ? Number(details.retryAfterSeconds) : 0;
  return {
    kind: code === 429 ? 'lost' : 'doubtful',
    why: `the API server ended the watch (${code})`,
    ...(seconds > 0 && { retryAfter: seconds }),
  };
}
