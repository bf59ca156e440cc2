import { MIB } from '../../../../model/quantity.ts';
import type { Told } from '../told/account.ts';

/** How full a card was, sample by sample, in MiB in use or free; the last one before the process gave everything back. */
export type Fill = {
  readonly kind: 'used' | 'free';
  readonly samples: readonly number[];
  /** Everything was given back at the end. */
  readonly ended: boolean;
  readonly from: Told;
};

const FRAMEBUFFER = /\bDCGM_FI_DEV_FB_(USED|FREE)\b/;
// dcgm-exporter counts in MiB; whoever multiplies shows bytes.
const IN_BYTES = 1e8;
const FREED = 0.1;
const LEAST_MIB = 1024;

/** The framebuffer as dcgm-exporter counts it, and the columns of dmon and pmon. */
export function readFills(rows: readonly Told[]): readonly Fill[] {
  return [...rows.flatMap((row, at) => ofCounter(row, rows.slice(at + 1)) ?? []), ...ofColumns(rows)];
}

function ofCounter(row: Told, below: readonly Told[]): Fill | undefined {
  const found = FRAMEBUFFER.exec(row.text);
  if (found === null) return undefined;
  const kind = found[1] === 'FREE' ? 'free' : 'used';
  const own = samplesIn(row.text.slice(found.index + found[0].length));
  const rest = own.length > 0 ? own : belowIt(below);
  return fillOf(kind, rest, row);
}

const IN_JSON = /\[ ?\d{9,13}(?:\.\d{1,3})?, ?"([\d.e+]{1,16})"\]/g;
const NOT_A_SAMPLE =
  /^[^{}]*\}|\{[^{}]*\}|"[a-z]\w*" ?:|@ ?\[?\d{9,13}(?:\.\d{1,3})?\]?|\b\d{4}-\d\d-\d\d(?:[T ]|$)|\b\d{1,2}:\d\d(?::\d\d)?(?:\.\d{1,3})?Z?|\([^()]*\)|\b[dt]\d{1,3}\b/gi;
const NUMBER = /(?<![\w.-])(\d{1,12}(?:\.\d{1,6})?(?:e[+]?\d{1,2})?)(?![\w.:-])/g;

function samplesIn(text: string): readonly number[] {
  const points = [...text.matchAll(IN_JSON)].map(([, value]) => Number(value));
  if (points.length > 0) return points;
  return [...text.replaceAll(NOT_A_SAMPLE, ' ').matchAll(NUMBER)].map(([, value]) => Number(value));
}

// The rows of a range stand below the name of their series.
function belowIt(rows: readonly Told[]): readonly number[] {
  const end = rows.findIndex(({ text }) => !/^\s*[\d"]/.test(text) || FRAMEBUFFER.test(text));
  return rows.slice(0, end < 0 ? rows.length : end).flatMap(({ text }) => samplesIn(text).slice(-1));
}

function fillOf(kind: Fill['kind'], given: readonly number[], from: Told): Fill | undefined {
  const samples = given.map((one) => (one >= IN_BYTES ? one / MIB : one));
  const most = Math.max(0, ...samples);
  if (most === 0 && kind === 'used') return undefined;
  const isBack = (one: number) => (kind === 'used' ? one < most * FREED : one >= most * (1 - FREED));
  const last = samples.at(-1);
  const ended =
    samples.length > 1 && last !== undefined && most >= LEAST_MIB && isBack(last) && samples.at(-2) !== last;
  const kept = ended ? samples.slice(0, -1) : samples;
  return kept.length === 0 ? undefined : { kind, samples: kept, ended, from };
}

const HEAD = /^#?\s*(?:date\s+)?(?:time\s+)?gpu\s[^\n]*\bfb\b/i;

function ofColumns(rows: readonly Told[]): readonly Fill[] {
  const at = rows.findIndex(({ text }) => HEAD.test(text));
  const head = rows[at];
  if (head === undefined) return [];
  const place = cellsOf(head.text.replace(/^#\s*/, '')).findIndex((cell) => /^fb$/i.test(cell));
  const samples = rows.slice(at + 1).flatMap(({ text }) => {
    const cell = text.startsWith('#') || !/^\s*\d/.test(text) ? undefined : cellsOf(text)[place];
    return cell !== undefined && /^(?:\d{1,7}|-)$/.test(cell) ? [cell === '-' ? 0 : Number(cell)] : [];
  });
  const fill = fillOf('used', samples, head);
  return fill === undefined ? [] : [fill];
}

function cellsOf(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}
