import { parseSize } from '../../model/quantity.ts';

/** What `free` prints of RAM, bytes. */
export type FreeRow = { readonly total: number; readonly available: number };

// total, used, free, shared, buff/cache, available (procps); `free -h` has units, `free` alone KiB.
const ROW = /^#?\s*Mem: +([\d.,]+ ?(?:[KMGT]i?)?B?) +\S+ +\S+ +\S+ +\S+ +([\d.,]+ ?(?:[KMGT]i?)?B?)$/;
const BARE = /^[\d.,]+$/;

/** The row of RAM as `free` prints it; undefined for any other line. Bare figures are taken as KiB, and as GiB below 10,000, as `free -g` has them. */
export function readFreeRow(text: string): FreeRow | undefined {
  const [, total = '', available = ''] = ROW.exec(text.trimEnd()) ?? [];
  const unit = !BARE.test(total) ? '' : Number(total) < 10_000 ? ' GiB' : ' KiB';
  const sizes = [total, available].map((size) => parseSize(`${size.replace(/^(\d+),(\d)$/, '$1.$2')}${unit}`));
  const [all, left] = sizes;
  return all === undefined || left === undefined || all <= 0 ? undefined : { total: all, available: left };
}
