import { parseSize } from '../../model/quantity.ts';

// total, used, free, shared, buff/cache, available (procps). Without its unit a figure may be KiB, MiB or GiB, and a node
// with room would look empty: such a row is not read.
const SIZE = String.raw`([\d.,]+ ?[KMGT]i?B?)`;
const ROW = new RegExp(String.raw`^\s*Mem: +${SIZE} +\S+ +\S+ +\S+ +\S+ +${SIZE}$`);

/** The available RAM in the row that `free -h` prints, bytes; undefined for any other line. */
export function readFreeRow(text: string): number | undefined {
  const [, ...sizes] = ROW.exec(text.trimEnd()) ?? [];
  const [total, available] = sizes.map((size) => parseSize(size.replace(/^(\d+),(\d)/, '$1.$2')));
  return total === undefined || available === undefined || total <= 0 ? undefined : available;
}
