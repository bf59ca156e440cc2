import { getEventListeners } from 'node:events';
import { onTestFinished } from 'vitest';
import type { Clock } from '../../src/app/ports.ts';
import type { WatchedPod, WatchHandler } from '../../src/app/watch-ports.ts';
import { createPodWatch } from '../../src/kubernetes/watch/pod-watch.ts';
import { aPod, NOW } from '../../src/standins/api-server/objects/builders.ts';
import { aWorld, findObject, type KubeObject } from '../../src/standins/api-server/objects/world.ts';
import { createFakeClock, type FakeClock } from '../fakes/clock.ts';
import { anEdge, type Edge } from './harness.ts';

export const SCOPE = { namespace: 'llm', selector: 'oombot.dev/watch=true' };
const LABELS = { 'oombot.dev/watch': 'true' };
const LONGEST_BACKOFF_MS = 60_000;

export const aWatchedPod = (name: string, over: Parameters<typeof aPod>[0] = {}): KubeObject =>
  aPod({ name, labels: LABELS, ...over });

/** Backoffs pass at once and are noted; the watch for silence waits until the clock is moved by hand. */
function createWatchClock(): { clock: Clock; fake: FakeClock; waits: number[] } {
  const fake = createFakeClock(NOW);
  const waits: number[] = [];
  const clock: Clock = {
    now: fake.now,
    monotonic: fake.monotonic,
    breathe: fake.breathe,
    limit: () => ({ signal: new AbortController().signal, end: () => {} }),
    sleep(ms, signal) {
      if (ms > LONGEST_BACKOFF_MS) return fake.sleep(ms, signal);
      waits.push(ms);
      setImmediate(() => void fake.advance(ms));
      return fake.sleep(ms, signal);
    },
  };
  return { clock, fake, waits };
}

/** What a user of the watch knows from it: pods by uid, and every end and every deletion that it could tell from them. */
export function createMirror() {
  const pods = new Map<string, WatchedPod>();
  const ends = new Set<string>();
  const gone = new Set<string>();
  const counts = { listed: 0, changed: 0, unreadable: 0, alive: 0 };
  const losses: string[] = [];
  const keep = (pod: WatchedPod): void => {
    pods.set(pod.uid, pod);
    for (const { ended } of pod.containers) if (ended !== undefined) ends.add(ended.containerId);
  };
  const drop = (uid: string): void => {
    pods.delete(uid);
    gone.add(uid);
  };
  const handler: WatchHandler = {
    listed(all) {
      counts.listed += 1;
      const there = new Set(all.map(({ uid }) => uid));
      for (const uid of pods.keys()) if (!there.has(uid)) drop(uid);
      all.forEach(keep);
    },
    changed(pod) {
      counts.changed += 1;
      keep(pod);
    },
    gone(pod) {
      keep(pod);
      drop(pod.uid);
    },
    alive(connected, why) {
      if (connected) counts.alive += 1;
      else losses.push(why ?? '');
    },
    unreadable() {
      counts.unreadable += 1;
    },
  };
  return { handler, pods, ends, gone, counts, losses };
}

const HANGS_MS = 20_000;

/** Turns of the event loop until it holds. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + HANGS_MS;
  while (!holds()) {
    if (performance.now() > end) throw new Error(`it does not come to hold: ${holds}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

export type Watched = Awaited<ReturnType<typeof openWatch>>;

/** A watch of the pods of a stand-in that is under way. */
export async function openWatch(pods: readonly KubeObject[], prepare: (edge: Edge) => void = () => {}) {
  const edge = await anEdge(aWorld({ objects: [...pods] }));
  prepare(edge);
  const time = createWatchClock();
  const mirror = createMirror();
  const stop = new AbortController();
  const watch = createPodWatch({ http: edge.http, clock: time.clock, random: () => 0.5 });
  const done = watch.run(SCOPE, mirror.handler, stop.signal);
  onTestFinished(async () => {
    stop.abort();
    await done;
  });
  const { storage } = edge.standin.cluster;
  const { world, requests } = edge.standin;
  const podNamed = (name: string): KubeObject => {
    const found = findObject(world, { kind: 'Pod', name, namespace: 'llm' });
    if (found === undefined) throw new Error(`no pod ${name}`);
    return found;
  };
  const sent = (watching: boolean) => requests.filter(({ query }) => (query.watch === 'true') === watching);
  return {
    ...edge,
    ...time,
    mirror,
    storage,
    /** Lists and watches that were asked for. */
    lists: () => sent(false),
    watches: () => sent(true),
    /** Puts another state of a pod in its place. */
    change(name: string, over: Parameters<typeof aPod>[0]) {
      const before = podNamed(name);
      const { metadata, ...rest } = aWatchedPod(name, { uid: before.metadata.uid, ...over });
      storage.settle(before, { ...rest, metadata: { ...before.metadata, ...metadata } } as KubeObject);
    },
    /** Puts any object in the place of a pod. */
    garble: (name: string, object: (before: KubeObject) => unknown) =>
      storage.settle(podNamed(name), object(podNamed(name)) as KubeObject),
    add: (pod: KubeObject) => storage.settle(undefined, pod),
    remove: (name: string) => storage.remove(podNamed(name)),
    uidOf: (name: string) => podNamed(name).metadata.uid,
    /** What is kept between connections. */
    kept: () => ({ listeners: getEventListeners(stop.signal, 'abort').length, sleepers: time.fake.sleeping }),
    async stop() {
      stop.abort();
      await done;
    },
  };
}

/** The id of the instance of a pod's engine that died the `n`th time. */
export const endOf = (pod: string, n: number): string => `containerd://${pod}-${n}`;

/** An engine that was OOMKilled for the `n`th time and runs again. */
export const killed = (pod: string, n: number) => ({
  containers: [
    {
      restarts: n,
      runningSince: NOW + n * 1000,
      lastDeath: {
        reason: 'OOMKilled',
        exitCode: 137,
        startedAt: NOW - 1000,
        finishedAt: NOW + n * 1000 - 500,
        containerID: endOf(pod, n),
      },
    },
  ],
});

/**
 * Drops each of many connections, before an event or after, while a pod dies with each and every tenth time another one is
 * deleted; then answers 410 in both its forms as often as told.
 */
export async function disturb({ drops, gone, pods }: { drops: number; gone: number; pods: number }) {
  const names = Array.from({ length: pods }, (_, i) => `vllm-${i}`);
  const expired = `{"type":"ERROR","object":{"kind":"Status","status":"Failure","reason":"Expired","code":410}}`;
  const watch = await openWatch(
    names.map((name) => aWatchedPod(name)),
    ({ standin: { faults } }) => {
      for (let n = 0; n < drops; n += 1) {
        faults.on('watch=true', { kind: 'watch-end', ...(n % 3 === 0 ? { afterEvents: 0 } : { afterMs: 2 }) }, 1);
      }
      for (let n = 0; n < gone; n += 1) {
        const late = n % 2 === 1;
        faults.on(
          'watch=true',
          late ? { kind: 'watch-line', at: 0, text: expired } : { kind: 'refuse', status: 410 },
          1,
        );
      }
    },
  );
  const ends: string[] = [];
  const deleted: string[] = [];
  let n = 0;
  watch.standin.onRequest = ({ query }) => {
    if (query.watch !== 'true' || n >= drops + gone) return;
    n += 1;
    const name = names[n % pods] ?? '';
    watch.change(name, killed(name, n));
    ends.push(endOf(name, n));
    if (n % 10 > 0) return;
    const short = `short-${n}`;
    watch.add(aWatchedPod(short));
    if (n > 10) {
      deleted.push(watch.uidOf(`short-${n - 10}`));
      watch.remove(`short-${n - 10}`);
    }
  };
  await until(() => n >= drops + gone && ends.every((id) => watch.mirror.ends.has(id)));
  return { watch, ends, deleted };
}
