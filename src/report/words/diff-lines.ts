/** Whole lines of a diff, and how many were left out. */
type DiffPart = { readonly lines: readonly string[]; readonly left: number };

const isHeader = (line: string): boolean => /^(?:---|\+\+\+) |^@@ /.test(line);
const isChange = (line: string): boolean => /^[-+]/.test(line) && !isHeader(line);

/** The changed lines of a unified diff, each group under the line above it, as far as they fit; where several objects change, each under its name. */
export function shortDiff(diff: string, room: number): DiffPart {
  const all = linesOf(diff);
  if (all.length === 0) return NONE;
  const objects = all.filter((line) => line.startsWith('+++ ')).length;
  const short = all.filter((line, i) => {
    if (isHeader(line)) return objects > 1 && line.startsWith('+++ ');
    const next = all[i + 1];
    return isChange(line) || (next !== undefined && isChange(next));
  });
  return take(dedent(short), room);
}

// Seen from a phone the depth of a container in its object is all blanks.
function dedent(lines: readonly string[]): string[] {
  const depths = lines.flatMap((line) => (isHeader(line) ? [] : [/^.\s*/.exec(line)?.[0].length ?? 1]));
  const cut = Math.max(1, Math.min(...depths)) - 1;
  return lines.map((line) => (isHeader(line) ? line : `${line.slice(0, 1)} ${line.slice(1 + cut)}`.trimEnd()));
}

/** The whole diff, as far as Slack takes it in one block. */
export function diffOf(diff: string): DiffPart {
  const all = linesOf(diff);
  return all.length === 0 ? { lines: [], left: 0 } : take(all, MOST);
}

const MOST = 1500;
// A longer one would be cut by Slack's cap, and half a value is worse than none.
const LINE = 500;
const NONE: DiffPart = { lines: ['no field of the workload changes'], left: 0 };

function linesOf(diff: string): string[] {
  return diff.split('\n').filter((line) => line !== '');
}

// Never half a line: it would be copied.
function take(lines: readonly string[], room: number): DiffPart {
  const fitting = lines.filter((line) => line.length <= LINE);
  let left = room;
  const shown: string[] = [];
  for (const line of fitting) {
    left -= line.length + 1;
    if (left < 0) break;
    shown.push(line);
  }
  const missing = lines.length - shown.length;
  return shown.length > 0 ? { lines: shown, left: missing } : { lines: ['(too long to show here)'], left: missing };
}
