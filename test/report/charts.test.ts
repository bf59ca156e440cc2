import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Block } from '../../src/model/message.ts';
import type { Series } from '../../src/model/snapshot.ts';
import { charts } from '../../src/report/thread.ts';
import { exampleSeriesFile } from '../model/examples.ts';

const GIB = 2 ** 30;
const USED = 'container.memory.working-set';
const LIMIT = 'container.memory.limit';
const GPU = 'gpu.framebuffer.used';

/** These values, one each 15 seconds. */
const points = (...values: readonly number[]) => values.map((value, i): [number, number] => [i * 15_000, value]);
const aSeries = (id: string, given: Partial<Series> = {}): Series => {
  return { id, unit: 'bytes', labels: {}, query: 'q', points: points(20 * GIB, 21.5 * GIB), ...given };
};
const drawn = (...series: Series[]) =>
  charts({ ...exampleSeriesFile, series }).flatMap((block) => (block.kind === 'chart' ? [block] : []));

describe('the charts', () => {
  it('show RAM against its limit in GiB', () => {
    const [chart] = drawn(aSeries(USED), aSeries(LIMIT));

    expect(chart).toMatchObject({ title: 'Container RAM', unit: 'GiB' });
    expect(chart?.series.map(({ name }) => name)).toEqual(['used', 'limit']);
    expect(chart?.series[0]?.points).toEqual(points(20, 21.5));
  });

  it.each([
    ['one GPU', [{ gpu: '0' }], ['GPU']],
    ['several GPUs', [{ gpu: '0' }, { gpu: '3' }], ['GPU 0', 'GPU 3']],
    ['series without a label', [{}, {}], ['GPU 0', 'GPU 1']],
  ])('name the lines of %s', (_name, labels, names) => {
    const [chart] = drawn(...labels.map((one) => aSeries(GPU, { labels: one as Record<string, string> })));

    expect(chart?.title).toBe('GPU memory in use');
    expect(chart?.series.map(({ name }) => name)).toEqual(names);
  });

  it('read a series in MiB as such', () => {
    const [chart] = drawn(aSeries(GPU, { unit: 'MiB', points: points(1024, 2048) }));

    expect(chart?.series[0]?.points).toEqual(points(1, 2));
  });

  it.each<[string, Series[]]>([
    ['there is no series', []],
    ['there is one point, which is no line', [aSeries(USED, { points: points(GIB) })]],
    ['no value is a number', [aSeries(GPU, { points: points(Number.NaN, Number.POSITIVE_INFINITY) })]],
    ['the series are of something else', [aSeries('requests.running')]],
  ])('are left out where %s', (_name, series) => {
    expect(drawn(...series)).toEqual([]);
  });

  it('are sound blocks whatever the series hold', () => {
    const series = fc.record({
      id: fc.constantFrom(USED, LIMIT, GPU),
      unit: fc.constantFrom('bytes', 'MiB', ''),
      labels: fc.dictionary(fc.constantFrom('gpu', 'container', 'pod'), fc.string({ maxLength: 20 })),
      query: fc.string({ maxLength: 5 }),
      points: fc.array(fc.tuple(fc.double(), fc.double()), { maxLength: 8 }),
    });
    fc.assert(
      fc.property(fc.array(series, { maxLength: 12 }), (all) => {
        for (const block of charts({ ...exampleSeriesFile, series: all })) {
          expect(Block.safeParse(block).error).toBeUndefined();
        }
      }),
      { seed: 3, numRuns: 100 },
    );
  });
});
