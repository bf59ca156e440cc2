import type { LineCitation } from '../../model/citation.ts';
import { parseSize } from '../../model/quantity.ts';

type Sample = { readonly kib: number; readonly from: LineCitation };

const RESIDENT = /^(?:RSS|RES|resident|host memory|ram|memory used|used memory)(?:\b|_)/i;
// A list of processes is no course of time, and these are other memories.
const NO_COURSE = /\bPID\b|\bcommand\b|\bVRAM\b|\bGPU\b/i;
const RULE = /^[\s|:+-]+$/;
const KIB = 1024;
// `ps` counts in KiB; `RSS (MB)`, `rss_gb`.
const COLUMN_UNIT = /[\s_([](kb|mb|gb|kib|mib|gib|bytes)[)\]]?$/i;

/**
 * The columns of resident size in tables that people keep over time, a row a reading: `run | VSZ | RSS`. Bare figures are KiB,
 * as ps prints them.
 */
export function readResidentTables(lines: readonly LineCitation[]): readonly (readonly Sample[])[] {
  const tables: Sample[][] = [];
  let column: Column | undefined;
  for (const from of lines) {
    const head = readHead(from.text);
    if (head !== undefined) {
      column = head;
      tables.push([]);
    } else if (column !== undefined && !RULE.test(from.text)) {
      const kib = readCell(from.text, column);
      if (kib === undefined) column = undefined;
      else tables.at(-1)?.push({ kib, from });
    }
  }
  return tables;
}

type Column = { readonly at: number; readonly cells: number; readonly unit: string };

function readHead(text: string): Column | undefined {
  if (NO_COURSE.test(text)) return undefined;
  const cells = cellsOf(text);
  const at = cells.findIndex((cell) => RESIDENT.test(cell));
  return at > 0 ? { at, cells: cells.length, unit: COLUMN_UNIT.exec(cells[at] ?? '')?.[1] ?? 'KiB' } : undefined;
}

function readCell(text: string, { at, cells: count, unit }: Column): number | undefined {
  const cells = cellsOf(text);
  const bytes = cells.length === count ? sizeOf(cells[at] ?? '', unit) : undefined;
  return bytes === undefined ? undefined : bytes / KIB;
}

function cellsOf(text: string): readonly string[] {
  const bare = text.trim().replace(/\|$/, '');
  const sign = bare.includes('|') ? '|' : ',';
  return bare.split(sign).map((cell) => cell.trim());
}

function sizeOf(cell: string, unit: string): number | undefined {
  return /^[\d.]{1,20}$/.test(cell) ? parseSize(`${cell} ${unit}`) : parseSize(cell);
}
