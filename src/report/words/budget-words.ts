import type { Reckoned } from '../../model/budget.ts';
import { type Block, bold } from '../../model/message.ts';
import { paragraph } from './sentence.ts';

export function parts(label: string, all: readonly (string | undefined)[]): Block[] {
  const shown = all.filter((one) => one !== undefined);
  return shown.length === 0 ? [] : [paragraph(bold(label), `${shown.join(' · ')}.`)];
}

export function missingOf(reckoned: Reckoned): readonly string[] {
  return reckoned.kind === 'unknown' ? reckoned.missing : [];
}

export function amount(reckoned: Reckoned, format: (value: number) => string): string {
  if (reckoned.kind === 'unknown') return 'unknown';
  return `${reckoned.about === true ? 'about ' : ''}${format(reckoned.value)}`;
}

export function known(reckoned: Reckoned, format: (value: number) => string): string | undefined {
  return reckoned.kind === 'known' ? amount(reckoned, format) : undefined;
}

// Text columns for a monospace font.
export function columns(rows: readonly (readonly string[])[]): string[] {
  const width = (i: number) => Math.max(0, ...rows.map((row) => [...(row[i] ?? '')].length));
  const widths = (rows[0] ?? []).map((_, i) => width(i));
  return rows.map((row) =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd((widths[i] ?? 0) + 2)))
      .join('')
      .trimEnd(),
  );
}

export function gib(bytes: number, unit = ' GiB'): string {
  return `${(bytes / 2 ** 30).toFixed(2)}${unit}`;
}

// Above a thousand, a tenth of a block does not matter.
export function perRequest(blocks: number): string {
  return blocks < 1000 ? blocks.toFixed(1) : count(blocks);
}

export function bytesText(bytes: number): string {
  return `${count(Math.round(bytes))} bytes`;
}

export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ',');
}
