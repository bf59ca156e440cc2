import type { LineCitation } from '../../model/citation.ts';
import type { Course, Memory } from './course.ts';
import { memoryOf } from './course-memory.ts';
import { cellsOf, type Place, placeOfCell } from './course-row.ts';
import { amountOf, bareUnit } from './course-value.ts';
import { withoutGroups } from './grouped-digits.ts';

type Head = { readonly text: string; readonly places: readonly Place[] };

const LEAST = 3;
const FIGURE = /^[~≈]?(\d[\d,]{0,12}(?:\.\d{1,4})?)\s?(%|[KMGT]i?B?|bytes)?$/;

/** The courses of tables that have a column for each time: `process  day 1  day 3  day 5`. */
export function readColumnCourses(lines: readonly LineCitation[], unnamed: Memory | undefined): readonly Course[] {
  let head: Head | undefined;
  return lines.flatMap((from) => {
    const own = headIn(withoutGroups(from.text));
    if (own !== undefined) {
      head = own;
      return [];
    }
    return head === undefined ? [] : courseOf(head, from, unnamed);
  });
}

function headIn(text: string): Head | undefined {
  const all = cellsOf(text).map((cell) => placeOfCell(cell));
  // What heads the column of names is often left blank.
  const places = all[0] === undefined ? all.slice(1) : all;
  const known = places.filter((place) => place !== undefined);
  return known.length >= LEAST && known.length === places.length ? { text, places: known } : undefined;
}

function courseOf({ text, places }: Head, from: LineCitation, unnamed: Memory | undefined): readonly Course[] {
  const [name = '', ...cells] = cellsOf(withoutGroups(from.text));
  const amounts = cells.map((cell) => FIGURE.exec(cell));
  const common = amounts.map((amount) => amount?.[2]).find((unit) => unit !== undefined) ?? bareUnit([name]);
  const points = amounts.flatMap((amount, at) => {
    const value = amount === null ? undefined : amountOf({ digits: amount[1] ?? '', unit: amount[2] }, common);
    return value === undefined ? [] : [{ at: places[at]?.at ?? 0, value, from }];
  });
  const words = [name.toLowerCase(), text.toLowerCase()];
  const memory = memoryOf({ words, further: words, rows: [], unnamed });
  const kind = places.some((place) => place.kind === 'time') ? 'time' : 'count';
  if (memory === undefined || points.length < places.length || cells.length !== places.length) return [];
  return [
    { memory, unit: common === '%' ? 'share' : 'bytes', left: /\b(?:free|avail\w*|left)\b/i.test(name), kind, points },
  ];
}
