import { compareVersions } from './metric-table.ts';

/** Versions that print a line. Bounds count with all of their patch releases, but `above` and `below` do not. */
export type VersionRange = {
  readonly from?: string;
  readonly to?: string;
  readonly above?: string;
  readonly below?: string;
};

const NUMBER = 'b?\\d{1,6}(?:\\.\\d{1,5}){0,3}(?:\\.x)?(?:\\.?post\\d{1,3})?';
const NOTE = '(?: \\([^()]{1,80}\\))?';
const SPAN = new RegExp(`^(${NUMBER}) - (HEAD|${NUMBER})${NOTE}$`);
const ONE = new RegExp(`^(>=|>|<)?(${NUMBER})${NOTE}$`);
const ALL = new RegExp(`^all${NOTE}$`);

/** Reads `all`, `0.9.1`, `>=1.2`, `>1.2`, `<2.0`, `0.6.5 - 0.10.x` and `0.11 - HEAD`, each with a remark in brackets behind it; undefined for anything else. */
export function parseVersionRange(text: string): VersionRange | undefined {
  if (ALL.test(text)) return {};
  const span = SPAN.exec(text);
  if (span !== null) {
    const [, from = '', to = ''] = span;
    return to === 'HEAD' ? { from } : { from, to };
  }
  const one = ONE.exec(text);
  return one === null ? undefined : ofMark(one[1], one[2] ?? '');
}

function ofMark(mark: string | undefined, version: string): VersionRange {
  if (mark === '>=') return { from: version };
  if (mark === '>') return { above: version };
  return mark === '<' ? { below: version } : { from: version, to: version };
}

/** Whether a version lies in a range: `to: 0.10.x` and `to: 0.10` hold for all of 0.10. */
export function isInRange(version: string, { from, to, above, below }: VersionRange): boolean {
  if (from !== undefined && compareVersions(version, from) < 0) return false;
  if (to !== undefined && compareVersions(version, to, lengthOf(to)) > 0) return false;
  if (above !== undefined && compareVersions(version, above, lengthOf(above)) <= 0) return false;
  return below === undefined || compareVersions(version, below) < 0;
}

// What is said of a version holds for the releases below it.
function lengthOf(version: string): number {
  return (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? '').split('.').length;
}
