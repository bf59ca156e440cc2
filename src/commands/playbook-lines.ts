import type { SnapshotSource } from '../app/ports.ts';
import type { Signature } from '../model/signature.ts';
import type { FileName } from '../model/snapshot.ts';
import type { Verdict } from '../model/verdict.ts';
import { type BranchCoverage, type Coverage, KINDS } from '../playbook/coverage.ts';
import type { Problem } from '../playbook/problem.ts';
import type { CaseResult } from '../playbook/run-cases.ts';
import type { SignatureEntry } from '../playbook/signatures.ts';
import { wrap } from '../report/terminal/text-width.ts';
import type { Paint } from '../report/terminal.ts';
import type { Terminal } from './terminal.ts';

/** `file:line:column  message`, aligned. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  const rows = problems.map(({ file, line, column, message, severity }) => ({
    place: `${file}:${line}:${column}`,
    text: severity === 'warning' ? `${paint.yellow('warning:')} ${message}` : message,
  }));
  const width = Math.max(0, ...rows.map(({ place }) => place.length));
  return rows.map(({ place, text }) => `${paint.cyan(place.padEnd(width))}  ${text}`);
}

/** Cases that do not hold, each with what differs. */
export function resultLines(failed: readonly CaseResult[], paint: Paint): string[] {
  return failed.flatMap(({ case: { file, place, name }, differences }) => {
    const { line, column } = place();
    return [
      `${paint.cyan(`${file}:${line}:${column}`)}  ${name}`,
      ...differences.map((difference) => `    ${paint.red(difference)}`),
    ];
  });
}

export type CoverageOptions = {
  readonly paint: Paint;
  readonly width: number;
  readonly strict: boolean;
  readonly verbose: boolean;
};

/** What no case reaches, and which kinds of case are missing; with `verbose` a row per branch with the number of cases of each kind before. */
export function coverageLines(coverage: Coverage, { paint, width, strict, verbose }: CoverageOptions): string[] {
  const untaken = coverage.untaken().map((branch) => paint.red(`no case takes branch ${branch}`));
  const unreached = coverage.unreached().map((finding) => paint.red(`no case ends at finding ${finding}`));
  const gaps = coverage.gaps().map(({ branch, kind }) => `branch ${branch} has no case of kind ${kind}`);
  return [
    ...(verbose ? branchLines(coverage.branches(), { paint, width }) : []),
    ...untaken,
    ...unreached,
    // Only with `strict` they are a fault.
    ...gaps.map((gap) => (strict ? paint.red(gap) : paint.yellow(gap))),
  ];
}

function branchLines(
  branches: readonly BranchCoverage[],
  { paint, width }: Pick<Terminal, 'paint' | 'width'>,
): string[] {
  const rows = [['branch', ...KINDS], ...branches.map((row) => [row.branch, ...KINDS.map((kind) => count(row, kind))])];
  const widths = KINDS.map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)) + 2);
  const isNarrow = widths.reduce((sum, one) => sum + one, KINDS.at(-1)?.length ?? 0) > width;
  if (!isNarrow) return table(rows, { paint, width });
  return branches.flatMap((row) => [
    paint.bold(row.branch),
    ...wrap(row.possible.map((kind) => `${kind} ${row.cases[kind].length}`).join(', '), width - 4).map(
      (line) => `    ${line}`,
    ),
  ]);
}

// A line through nothing is no gap: `otherwise` has no condition, and some branches compare nothing with a mark.
function count({ cases, possible }: BranchCoverage, kind: (typeof KINDS)[number]): string {
  return possible.includes(kind) ? String(cases[kind].length) : '-';
}

/** A note for the author of an own folder when built-in cases fail. */
export function shippedNote(failed: number): string | undefined {
  if (failed === 0) return undefined;
  const which = failed === 1 ? '1 failed case is built in' : `${failed} failed cases are built in`;
  return `${which}. To replace them, add a file of the same name to your folder; to skip them, add --own.`;
}

// With less than this for the last column a sentence would be a column of words.
const LEAST_LAST = 24;

/** Columns of text, the first one set off; the last one wraps. If there is little space for it, it goes on its own line. */
export function table(
  rows: readonly (readonly string[])[],
  { paint, width }: Pick<Terminal, 'paint' | 'width'>,
): string[] {
  const widths = (rows[0] ?? []).slice(0, -1).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)) + 2);
  const used = widths.reduce((sum, one) => sum + one, 0);
  const widest = Math.max(0, ...rows.map((row) => row.at(-1)?.length ?? 0));
  const room = width - used;
  return rows.flatMap((row) => {
    const [first = '', ...others] = row.slice(0, -1);
    const last = row.at(-1) ?? '';
    if (room < Math.min(widest, LEAST_LAST)) {
      return [[paint.bold(first), ...others].join('  '), ...wrap(last, width - 4).map((line) => `    ${line}`)];
    }
    const [head = '', ...rest] = wrap(last, room);
    const cells = others.map((cell, i) => cell.padEnd(widths[i + 1] ?? 0)).join('');
    return [
      `${paint.bold(first.padEnd(widths[0] ?? 0))}${cells}${head}`,
      ...rest.map((line) => ' '.repeat(used) + line),
    ];
  });
}

const DECIDES: ReadonlySet<Signature['weight']> = new Set(['proof', 'strong', 'rules-out']);

/** Signatures that claim to decide, and whose line alone leads to another plane than theirs. */
export async function undecidedLines(
  entries: readonly SignatureEntry[],
  diagnose: (source: SnapshotSource) => Promise<Verdict>,
): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { signature, at } of entries.filter((entry) => DECIDES.has(entry.signature.weight))) {
    const { plane, finding } = await diagnose(aloneIn(fileOf(signature), `${signature.must[0]}\n`));
    if (plane === signature.plane) continue;
    const message = `${signature.id} is ${signature.weight} for plane ${signature.plane}, but its line alone leads to ${plane} (${finding})`;
    problems.push({ file: at.path, ...at.locate(['must', 0]), message, severity: 'error' });
  }
  return problems;
}

function fileOf({ where }: Signature): FileName {
  if (where === 'kernel') return 'kernel.txt';
  return where === 'log' ? 'previous.log' : 'describe.txt';
}

function aloneIn(file: FileName, text: string): SnapshotSource {
  return {
    id: 'one-line',
    list: async () => [file],
    read: async () => text,
    async *open() {
      yield new TextEncoder().encode(text);
    },
  };
}
