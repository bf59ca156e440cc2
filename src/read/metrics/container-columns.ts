import { isEngineName, isHelperName } from '../engine/runs-by-name.ts';
import type { TextLine } from '../text/lines.ts';
import { cellsOf, RULE } from './labelled-rows.ts';

// Who reads a memory is named above the figures as well.
const MEASURES = /^(?:nvidia-smi|dcgm|kube|prometheus|grafana|node[-_]exporter|otel|telegraf|datadog|metrics)/i;
const TELLS_AN_END = /\bOOM|\bEvicted\b|\b137\b|\bSIGKILL\b|\bsignal:? 9\b/;

/** The columns, by their place, of a table that has one for each container, where those are of helpers beside the engine. */
export function columnsOfOthers(heads: readonly string[]): ReadonlySet<number> {
  const names = heads.map((head) => /^[\w.-]+/.exec(head.trim())?.[0] ?? '');
  if (!names.some(isEngineName)) return new Set();
  return new Set(names.flatMap((name, at) => (isHelperName(name) && !MEASURES.test(name) ? [at] : [])));
}

type Table = { readonly heads: readonly string[]; readonly others: ReadonlySet<number> };

/** Rows, by number, of such tables that tell of an end of a helper, and of none of the engine. */
export function rowsOfOthers(lines: readonly TextLine[]): ReadonlySet<number> {
  const found = new Set<number>();
  let table: Table | undefined;
  for (const { n, text } of lines) {
    const cells = cellsOf(text);
    const others = columnsOfOthers(cells);
    if (others.size > 0) table = { heads: cells, others };
    else if (table !== undefined && !RULE.test(text)) {
      const ends = endsIn(table, cells);
      if (ends === undefined) table = undefined;
      else if (ends.of === 'others') found.add(n);
    }
  }
  return found;
}

// What heads the column of words is often left blank.
function endsIn({ heads, others }: Table, cells: readonly string[]): { readonly of: 'others' | 'any' } | undefined {
  const blank = cells.length - heads.length;
  if (blank !== 0 && blank !== 1) return undefined;
  const tells = cells.flatMap((cell, at) => (TELLS_AN_END.test(cell) ? [at - blank] : []));
  return { of: tells.length > 0 && tells.every((at) => others.has(at)) ? 'others' : 'any' };
}
