import type { Sorted, TextLine } from '../text/lines.ts';
import { hintOf, type KernelKill, killByDaemon } from './kernel-lines.ts';

/** Whose process a kill ended: one of the container that is looked at, another one's, or unclear. */
export type Whose = 'own' | 'other' | 'unsure';

/**
 * The lines, by number, of the kills that are not the container's. A report begins with who asked for memory and ends with
 * the kill (mm/oom_kill.c), so the lines above a kill belong to it.
 */
export function sortOut(
  lines: readonly TextLine[],
  kills: readonly KernelKill[],
  whose: (kill: KernelKill) => Whose,
): Sorted {
  const of = new Map<number, Whose>();
  const byEnd = new Map(kills.toReversed().map((kill) => [lastLine(kill), kill]));
  for (const report of reportsOf(lines, kills)) {
    const last = report.at(-1)?.n ?? 0;
    const decides = byEnd.get(last) ?? askedBy(report[0]);
    const lineNumbers = report.map(({ n }) => n);
    setAll(of, lineNumbers, decides && whose(decides));
  }
  for (const line of lines) {
    const hint = begins(line) ? undefined : (hintOf(line) ?? killByDaemon(line));
    if (hint !== undefined) of.set(line.n, whose(hint));
  }
  // Lines of two kills may stand between one another.
  for (const kill of kills)
    setAll(
      of,
      kill.from.map(({ line }) => line),
      whose(kill),
    );
  return { others: numbers(of, 'other'), unsure: numbers(of, 'unsure') };
}

function setAll(of: Map<number, Whose>, lines: readonly number[], whose: Whose | undefined): void {
  if (whose !== undefined) for (const line of lines) of.set(line, whose);
}

function reportsOf(lines: readonly TextLine[], kills: readonly KernelKill[]): readonly (readonly TextLine[])[] {
  const ends = new Set(kills.map(lastLine));
  const reports: TextLine[][] = [];
  let isOver = true;
  for (const line of lines) {
    const open = reports.at(-1);
    if (open === undefined || isOver || begins(line)) reports.push([line]);
    else open.push(line);
    isOver = ends.has(line.n);
  }
  return reports;
}

function askedBy(line: TextLine | undefined): KernelKill | undefined {
  return line !== undefined && begins(line) ? hintOf(line) : undefined;
}

function begins({ text }: TextLine): boolean {
  return text.includes('invoked oom-killer:');
}

function lastLine({ from }: KernelKill): number {
  return Math.max(0, ...from.map(({ line }) => line));
}

function numbers(of: ReadonlyMap<number, Whose>, wanted: Whose): ReadonlySet<number> {
  return new Set([...of].flatMap(([n, whose]) => (whose === wanted ? [n] : [])));
}
