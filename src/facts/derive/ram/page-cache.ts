import type { LineCitation } from '../../../model/citation.ts';
import { parseSize } from '../../../model/quantity.ts';
import { cellsOf } from '../../text/course-row.ts';
import { fact, ratio } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { allLastLines } from '../weigh/tail-lines.ts';

// Private memory and pages of files, as cgroups count them: `memory.stat` of version 1 and 2, and cAdvisor's metrics.
const OWN = /^(?:container_memory_|total_)?(?:rss|anon)\b/i;
const PAGES = /^(?:(?:container_memory_|total_)?(?:cache|file)|page[ _-]?cache)\b(?! ?mapped|_mapped)/i;

type Shares = { readonly value: number; readonly from: LineCitation };

/**
 * How much of what the container holds is page cache, which the kernel takes back before it kills: the least of the readings
 * that people kept, in a table with a column for each or in two lines.
 */
export function readPageCache({ readings }: Pick<Evidence, 'readings'>) {
  const all = readings.logs.flatMap((log) => sharesOf(allLastLines(log)));
  const [least] = all.toSorted((a, b) => a.value - b.value);
  return least && fact(least.value, [least.from]);
}

function sharesOf(lines: readonly LineCitation[]): readonly Shares[] {
  let head: { readonly own: number; readonly pages: number } | undefined;
  const rows = lines.flatMap((from) => {
    const cells = cellsOf(from.text);
    const [own, pages] = [OWN, PAGES].map((name) => cells.findIndex((cell) => name.test(cell)));
    if (own !== undefined && pages !== undefined && own >= 0 && pages >= 0) {
      head = { own, pages };
      return [];
    }
    return head === undefined ? [] : shareOf(cells[head.own], cells[head.pages], from);
  });
  const [own, pages] = [OWN, PAGES].map((name) => lines.findLast(({ text }) => name.test(text.trim())));
  return rows.length > 0 || own === undefined || pages === undefined
    ? rows
    : shareOf(behindName(own.text), behindName(pages.text), pages);
}

function behindName(text: string): string {
  return text.trim().replace(/^[\w -]{1,40}?(?:\{[^}]{0,400}\})?[\s:=]+(?=\d)/, '');
}

function shareOf(own: string | undefined, pages: string | undefined, from: LineCitation): readonly Shares[] {
  const [a, b] = [sizeOf(own), sizeOf(pages)];
  const value = a === undefined || b === undefined ? undefined : ratio(b, a + b);
  return value === undefined ? [] : [{ value, from }];
}

// `memory.stat` and cAdvisor count in bytes.
function sizeOf(text = ''): number | undefined {
  return /^\d{6,18}$/.test(text) ? Number(text) : parseSize(text);
}
