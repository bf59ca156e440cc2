import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { aWatchedPod, disturb, endOf, killed, openWatch, until } from './watch-harness.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

describe('a watch under which connections fail', () => {
  it('survives 500 dropped connections and 50 times 410 without missing a death or a deletion', async () => {
    const { watch, ends, deleted } = await disturb({ drops: 500, gone: 50, pods: 20 });

    await until(() => deleted.every((uid) => watch.mirror.gone.has(uid)));

    expect(watch.mirror.ends).toEqual(new Set(ends));
    expect(watch.mirror.gone).toEqual(new Set(deleted));
    expect(watch.lists()).toHaveLength(1 + 50);
    expect(watch.watches().length).toBeLessThanOrEqual(500 + 50 + 20);
    expect(Math.min(...watch.waits.slice(0, 500))).toBeGreaterThanOrEqual(1000);
    expect(watch.kept().listeners).toBeLessThanOrEqual(2);
    expect(watch.kept().sleepers).toBeLessThanOrEqual(1);
  });

  it('keeps nothing of 2,000 pods that change all the time but where it is', async () => {
    const names = Array.from({ length: 2000 }, (_, i) => `vllm-${i}`);
    const watch = await openWatch(names.map((name) => aWatchedPod(name)));
    await until(() => watch.watches().length === 1);
    const round = async (n: number) => {
      for (const name of names) {
        watch.change(name, killed(name, n));
        // The backlog of the stand-in is no part of what is measured.
        if (name.endsWith('99')) await until(() => watch.mirror.ends.has(endOf(name, n)));
      }
      watch.mirror.ends.clear();
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    for (let n = 1; n <= 3; n += 1) await round(n);
    const before = await round(4);
    for (let n = 5; n <= 9; n += 1) await round(n);
    const after = await round(10);

    expect(watch.mirror.pods.size).toBe(2000);
    expect(watch.lists()).toHaveLength(4);
    expect(watch.kept()).toEqual({ listeners: 1, sleepers: 1 });
    expect(after - before).toBeLessThan(5 * 1024 * 1024);
  });
});
