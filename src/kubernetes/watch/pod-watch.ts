import type { Clock } from '../../app/ports.ts';
import type { PodWatch, WatchHandler } from '../../app/watch-ports.ts';
import { type KubeHttp, slept } from '../api/http.ts';
import { createBackoff } from './backoff.ts';
import { followPods, type WatchEnd } from './follow-pods.ts';
import { listPods } from './list-pods.ts';
import type { WatchReads } from './watch-reads.ts';

export type PodWatchOptions = {
  readonly http: KubeHttp;
  readonly clock: Clock;
  /** From 0 to 1, for the spread of waits. */
  readonly random?: (() => number) | undefined;
  /** The User-Agent, as the audit log of the API server shows it. */
  readonly agent?: string | undefined;
};

// Connections end by themselves after 5 to 10 minutes, not all at once.
const SHORTEST_S = 300;
const SPREAD_S = 300;
// A connection that lived this long was a good one.
const GOOD_MS = 5000;
const SPREAD_MS = 1000;
// Lists are the dear part: two within this time are held apart by the backoff.
const APART_MS = 60_000;
// After as many in a row nobody knows whether the version still means something.
const MOST_DOUBTFUL = 5;

/** Watches pods: one list, then events from there on, over any number of connections. Keeps no more than a position. */
export function createPodWatch(options: PodWatchOptions): PodWatch {
  const { http, clock, agent = 'oombot (watch)', random = Math.random } = options;
  return {
    async run(scope, handler, signal) {
      const watching = createWatching({ http, clock, agent, scope }, { handler, random });
      while (!signal.aborted) {
        const wait = await watching.step(signal).catch(watching.failed);
        if (wait > 0 && !(await slept(clock, wait, signal))) return;
      }
    },
  };
}

type Watching = {
  /** Lists, or follows until a connection ends; answers the ms to wait before the next step. */
  step(signal: AbortSignal): Promise<number>;
  /** After a step that threw: all starts over with a list. Answers the ms to wait. */
  failed(): number;
};

type How = { readonly handler: WatchHandler; readonly random: () => number };

function createWatching(reads: WatchReads, { handler, random }: How): Watching {
  const { clock } = reads;
  const [lists, connections] = [createBackoff(random), createBackoff(random)];
  let version: string | undefined;
  let listedAt: number | undefined;
  let unreadableAt: string | undefined;
  let doubtful = 0;

  const beforeList = (retryAfter?: number): number => {
    version = undefined;
    doubtful = 0;
    if (listedAt !== undefined && clock.monotonic() - listedAt < APART_MS) return lists.next(retryAfter);
    lists.reset();
    return Math.max(SPREAD_MS * random(), 1);
  };

  const list = async (signal: AbortSignal): Promise<number> => {
    const listed = await listPods(reads, signal);
    if (signal.aborted) return 0;
    listedAt = clock.monotonic();
    if (listed.kind === 'failed') {
      handler.alive(false, listed.why);
      return beforeList(listed.retryAfter);
    }
    for (let n = 0; n < listed.unreadable; n += 1) handler.unreadable();
    handler.listed(listed.pods);
    handler.alive(true);
    version = listed.version;
    return 0;
  };

  // Whether only a list tells where to go on.
  const mustList = ({ kind, version: at, events }: WatchEnd): boolean => {
    if (events > 0) doubtful = 0;
    if (kind === 'doubtful') doubtful += 1;
    // What comes after the last good version is asked for once more; a line that comes back as it was, a list passes by.
    const isStuck = kind === 'unreadable' && unreadableAt === at;
    unreadableAt = kind === 'unreadable' ? at : undefined;
    return kind === 'expired' || isStuck || doubtful >= MOST_DOUBTFUL;
  };

  const afterConnection = (end: WatchEnd): number => {
    const isOld = end.livedMs >= GOOD_MS;
    if (end.events > 0 || (isOld && end.kind !== 'doubtful')) connections.reset();
    if (isOld && end.kind === 'over') return SPREAD_MS * random();
    handler.alive(false, end.why);
    return mustList(end) ? beforeList(end.retryAfter) : connections.next(end.retryAfter);
  };

  return {
    async step(signal) {
      if (version === undefined) return list(signal);
      const seconds = SHORTEST_S + Math.floor(SPREAD_S * random());
      const end = await followPods(reads, { version, seconds, handler }, signal);
      if (signal.aborted) return 0;
      version = end.version;
      return afterConnection(end);
    },
    failed() {
      handler.alive(false, 'internal fault');
      version = undefined;
      return lists.next();
    },
  };
}
