import { type BranchCoverage, type Coverage, KINDS } from '../playbook/coverage.ts';
import type { Problem } from '../playbook/problem.ts';
import type { CaseResult } from '../playbook/run-cases.ts';
import type { Paint } from './terminal.ts';

/** `file:line:column  message`, aligned. */
export function problemLines(problems: readonly Problem[], paint: Paint): string[] {
  const rows = problems.map(({ file, line, column, message, severity }) => ({
    place: `${file}:${line}:${column}`,
    text: severity === 'warning' ? `${paint.yellow('warning:')} ${message}` : message,
  }));
  const width = Math.max(0, ...rows.map(({ place }) => place.length));
  return rows.map(({ place, text }) => `${paint.cyan(place.padEnd(width))}  ${text}`);
}

/** The cases that do not hold, each with what differs. */
export function resultLines(results: readonly CaseResult[], paint: Paint): string[] {
  return results
    .filter(({ differences }) => differences.length > 0)
    .flatMap(({ case: { file, line, column, name }, differences }) => [
      `${paint.cyan(`${file}:${line}:${column}`)}  ${name}`,
      ...differences.map((difference) => `    ${paint.red(difference)}`),
    ]);
}

/** A row per branch with the number of cases of each kind; then what no case reaches. */
export function coverageLines(coverage: Coverage, { paint, strict }: { paint: Paint; strict: boolean }): string[] {
  const rows = coverage.branches().map((row) => [row.branch, ...KINDS.map((kind) => count(row, kind))]);
  const untaken = coverage.untaken().map((branch) => paint.red(`no case takes branch ${branch}`));
  const unreached = coverage.unreached().map((finding) => paint.red(`no case ends at finding ${finding}`));
  const gaps = coverage.gaps().map(({ branch, kind }) => `branch ${branch} has no case of kind ${kind}`);
  const many = gaps.length === 1 ? '1 kind of case is' : `${gaps.length} kinds of cases are`;
  const note = gaps.length > 0 ? [paint.yellow(`${many} missing; --strict names what is`)] : [];
  return [
    ...table([['branch', ...KINDS], ...rows], paint),
    ...untaken,
    ...unreached,
    ...(strict ? gaps.map((gap) => paint.red(gap)) : note),
  ];
}

// A line through nothing is no gap: `otherwise` has no condition, and some branches compare nothing with a mark.
function count({ cases, possible }: BranchCoverage, kind: (typeof KINDS)[number]): string {
  return possible.includes(kind) ? String(cases[kind].length) : '-';
}

/** Columns of text, the first one set off. */
export function table(rows: readonly (readonly string[])[], paint: Paint): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => {
        const text = column === row.length - 1 ? cell : cell.padEnd((widths[column] ?? 0) + 2);
        return column === 0 ? paint.bold(text) : text;
      })
      .join(''),
  );
}
