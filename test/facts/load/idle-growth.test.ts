import { describe, expect, it } from 'vitest';
import { valueIn } from '../incident.ts';

const GIB = 2 ** 30;
const STEP = 10 * 60_000;
const BEGAN = Date.parse('2026-09-14T08:00:00Z');

type Course = readonly (readonly [readings: number, gibEach: number, requestsEach: number])[];

/** Readings each ten minutes: how much RAM rises at each, and how many requests end. */
function aCourse(parts: Course, id = 'container.memory.working-set') {
  const memory: [number, number][] = [[BEGAN, 4 * GIB]];
  const served: [number, number][] = [[BEGAN, 0]];
  const running: [number, number][] = [[BEGAN, 0]];
  for (const [readings, gib, requests] of parts) {
    for (let i = 0; i < readings; i++) {
      const at = BEGAN + memory.length * STEP;
      memory.push([at, (memory.at(-1)?.[1] ?? 0) + gib * GIB]);
      served.push([at, (served.at(-1)?.[1] ?? 0) + requests]);
      running.push([at, requests > 0 ? 4 : 0]);
    }
  }
  const series = (name: string, points: readonly (readonly number[])[]) => {
    return { id: name, unit: 'count', labels: {}, query: 'q', points };
  };
  return {
    memory: series(id, memory),
    served: series('requests.success', served),
    running: series('requests.running', running),
  };
}

async function idleOf(series: readonly object[], id = 'ram.grows-idle'): Promise<unknown> {
  const file = JSON.stringify({ from: BEGAN, to: BEGAN + 400 * STEP, stepMs: STEP, series, unknown: [] });
  return valueIn({ 'series.json': file }, id);
}

/** It rises at a steady pace while it serves, and at that of the pause in between. */
const pausing = (readings: number, gibEach: number, served = 30): Course => {
  const serving = [served, 0.2, 50] as const;
  return [serving, [readings, gibEach, 0], serving];
};
const ROSE_ALWAYS = pausing(20, 0.2);

describe('growth while nothing is served', () => {
  it.each<[string, Course, boolean | undefined]>([
    ['as fast as ever is one', ROSE_ALWAYS, true],
    ['at half of the pace still is', pausing(20, 0.09), true],
    ['at a little less than half is none', pausing(20, 0.08), false],
    ['at a fifth of the pace is none', pausing(20, 0.03), false],
    ['none at all is none', pausing(20, 0), false],
    ['in a pause of ten minutes is not told', pausing(1, 0.2), undefined],
    ['in a pause that is a small part of all is not told', pausing(4, 0.2, 60), undefined],
  ])('%s', async (_what, course, expected) => {
    const { memory, served, running } = aCourse(course);

    expect(await idleOf([memory, served, running])).toBe(expected);
  });

  it('is not told by a gauge alone, which misses what comes and goes between two readings', async () => {
    const { memory, running } = aCourse(ROSE_ALWAYS);

    expect(await idleOf([memory, running])).toBeUndefined();
  });

  it('is none while a request runs on for hours and none ends', async () => {
    const { memory, served, running } = aCourse(ROSE_ALWAYS);
    const busy = { ...running, points: running.points.map(([at]) => [at, 1]) };

    expect(await idleOf([memory, served, busy])).toBeUndefined();
  });

  it('is told of the GPU as well', async () => {
    const { memory, served } = aCourse(ROSE_ALWAYS, 'gpu.framebuffer.used');

    expect(await idleOf([memory, served], 'gpu.grows-idle')).toBe(true);
    expect(await idleOf([memory, served])).toBeUndefined();
  });
});
