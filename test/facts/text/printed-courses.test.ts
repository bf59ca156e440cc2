import { describe, expect, it } from 'vitest';
import type { Course } from '../../../src/facts/text/course.ts';
import { readCourses } from '../../../src/facts/text/courses.ts';
import { parseRowTime } from '../../../src/read/text/row-time.ts';

const GB = 1e9;

function read(text: string): readonly Course[] {
  return readCourses(
    text.split('\n').map((line, at) => ({ kind: 'line', file: 'metrics.txt', line: at + 1, text: line })),
  );
}

const told = (text: string) =>
  read(text).map(({ memory, left, points }) => [
    memory,
    left ? 'left' : 'used',
    ...points.map(({ value }) => Math.round(value / GB)),
  ]);

describe('a course that tools printed', () => {
  it.each([
    [
      'kubectl top pod with a day before each row',
      'NAME      CPU(cores)   MEMORY(bytes)\nMon 09:00  tgi-main-0  1812m  9871Mi\nTue 09:00  tgi-main-0  1790m  14420Mi\nWed 09:00  tgi-main-0  1744m  19015Mi',
      ['host', 'used', 10, 15, 20],
    ],
    [
      'bytes of Prometheus with arrows',
      'ray_node_mem_used{instance="10.4.2.17"} 88e9 -> 140e9 -> 196e9 -> 241e9',
      ['host', 'used', 88, 140, 196, 241],
    ],
    [
      'what is left with a date before each figure',
      'node_memory_MemAvailable_bytes  11-20 98e9 | 11-23 71e9 | 11-26 46e9 | 12-02 0.3e9',
      ['host', 'left', 98, 71, 46, 0],
    ],
    [
      'a control group with a column for each day and no head over its names',
      '              day1          day4          day8\nanon          6120112128    30112204800   61220044800',
      ['host', 'used', 6, 30, 61],
    ],
  ])('%s', (_, text, course) => {
    expect(told(text)).toContainEqual(course);
  });

  it('has the time of a day that stands in a cell of its own', () => {
    const [course] = read(
      'NAME      CPU(cores)   MEMORY(bytes)\nMon 09:00  a-0  18m  9871Mi\nTue 09:00  a-0  17m  14420Mi',
    );

    expect((course?.points[1]?.at ?? 0) - (course?.points[0]?.at ?? 0)).toBe(86_400_000);
  });

  it('is not read from figures without an order', () => {
    expect(read('container_memory_rss 88e9, 140e9, 196e9, 241e9')).toEqual([]);
  });

  it.each([
    ['Jun 03', 'Jun 07', 4],
    ['Nov 28 06:00', 'Dec 1 06:00', 3],
    ['@1759276800', '@1759449600.123', 2],
  ])('knows the times %s and %s', (from, to, days) => {
    const [first, last] = [parseRowTime(from), parseRowTime(to)];

    expect(Math.round(((last?.at ?? 0) - (first?.at ?? 0)) / 86_400_000)).toBe(days);
  });

  it('takes a number of ten digits for no time', () => {
    expect(parseRowTime('1610612736')).toBeUndefined();
  });
});
