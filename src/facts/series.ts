import type { Citation } from '../model/citation.ts';
import type { Cited } from '../model/engine-reader.ts';
import type { UnknownReason } from '../model/fact.ts';
import { type JsonFile, parseJsonFile } from '../model/json-file.ts';
import { type Series, SeriesFile } from '../model/snapshot.ts';

export type Shape = 'flat-high' | 'flat-low' | 'climb' | 'spike' | 'plateau' | 'irregular';

export type ShapeReading =
  | { readonly kind: 'known'; readonly shape: Shape; readonly why: string }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason; readonly detail: string };

/** `[epoch ms, value]`. */
export type Point = readonly [number, number];

/** A value with its time (epoch ms) and its sample. */
export type Sample = Cited<number> & { readonly at: number };

/** series.json as a value, or why not. Never throws. */
export function readSeriesFile(text: string): JsonFile<SeriesFile> {
  return parseJsonFile(SeriesFile, text);
}

/** Shape of a quantity over time. `limit` in the unit of the points: with it, flat is high from 85 % of it. */
export function shapeOf(_points: readonly Point[], _limit?: number): ShapeReading {
  return { kind: 'unknown', reason: 'empty', detail: 'no points' };
}

/** The highest sample of a series; the first of several. */
export function peakOf(_series: Series): Sample | undefined {
  return undefined;
}

/** The last sample at or before `at`, no older than `maxAgeMs`. */
export function lastBefore(_series: Series, _at: number, _maxAgeMs?: number): Sample | undefined {
  return undefined;
}

export type { Citation };
