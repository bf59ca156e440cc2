import { parseName } from '../metrics/prometheus.ts';

type NameHead = {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly unit: string | undefined;
};

const UNIT = '[KMGT]i?B?|bytes|%';
// A unit, be it in brackets, and what people add behind a sign: which pod, and when they looked.
const END = new RegExp(String.raw`^\s*(?:\(([^()]{1,40})\)|(${UNIT})(?!\w))?\s*(?:[:,;]\s*(\S.{0,200})?)?$`, 'i');
const UNIT_ALONE = new RegExp(`^(?:${UNIT})$`, 'i');
const UNIT_FIRST = new RegExp(String.raw`^(?:in )?\(?(${UNIT})\)?(?!\w)`, 'i');
// What begins or ends with a figure, or holds a size that bounds nothing, is a reading. A time of day is none.
const READING =
  /^[~≈+-]?\s*\d(?!\d?:\d\d)|[:=]\s*[~≈]?\d[\d.,]*\s*\S{0,5}$|(?<!\b(?:limit|limits|card|total|of|max|request)\W{1,3})\b\d[\d.,]*\s?[KMGT]i?B?\b/i;

/**
 * The name of a metric that heads its readings, with labels, unit and a remark: `container_memory_rss{pod="a"} (GiB)`,
 * `DCGM_FI_DEV_FB_USED MiB, 06:00 each day`.
 */
export function readNameHead(line: string): NameHead | undefined {
  const named = parseName(line);
  const end = named && END.exec(named.rest);
  if (named === undefined || end === undefined || end === null) return undefined;
  const [, bracketed, bare, remark = ''] = end;
  const isName = remark === '' ? /[_:{]/.test(line) : /_|:\w/.test(named.name) || /^\s*\w+\{/.test(line);
  if (!isName || READING.test(remark)) return undefined;
  const units = [bracketed, bare, UNIT_FIRST.exec(remark)?.[1]];
  const unit = units.find((word) => word !== undefined && UNIT_ALONE.test(word));
  return { name: named.name, labels: named.labels, unit };
}

// A word behind the last figure of a row: `Fri 22731   (A10G, 23028 total)`, `sat  57.4 GiB   <- limit is 64Gi`.
const REMARK = /\s+(?:\([^()]*\)|(?:<[-=]{0,3}|←|--|#|\/\/)\s.*)\s*$/;

/** A row without what people wrote behind its figures. */
export function withoutRemark(text: string): string {
  return text.replace(REMARK, '');
}
