import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pc from 'picocolors';
import { z } from 'zod';
import { Cause, Phase, Plane } from '../../src/model/taxonomy.ts';
import type { Verdict } from '../../src/model/verdict.ts';
import { card, type ReportInput } from '../../src/report/card.ts';
import { drawTerminal } from '../../src/report/terminal.ts';

/** `expected.json` of one small input: the verdict, and texts that its remedies and its message must or must not have. */
export const Expected = z.object({
  plane: Plane,
  planes: z.array(Plane).default([]),
  phase: Phase,
  phases: z.array(Phase).default([]),
  cause: Cause,
  alternatives: z.array(Cause).default([]),
  healthy: z.boolean().default(false),
  mustNotBeCertain: z.enum(['plane', 'phase']).optional(),
  remedy: z.object({ mustName: z.array(z.string()), mustNotName: z.array(z.string()) }).optional(),
  shows: z.array(z.string()).default([]),
});
export type Expected = z.infer<typeof Expected>;

type Finding = Omit<ReportInput, 'evidence'>;

/** What is wrong with one answer; empty where all is as expected. `certain-and-wrong` is the worst; `raised` is more certain without some of the files. */
export type CaseProblem = {
  readonly kind: 'certain-and-wrong' | 'verdict' | 'remedy' | 'message' | 'raised';
  readonly says: string;
};

/** The expectation of a folder; undefined where it has none. Throws where it is not in its form. */
export async function readExpected(folder: string): Promise<Expected | undefined> {
  const text = await readFile(join(folder, 'expected.json'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Expected.parse(JSON.parse(text));
}

/** Compares one diagnosis with what is expected of it. */
export function judgeCase(expected: Expected, finding: Finding): readonly CaseProblem[] {
  const { verdict } = finding.diagnosis;
  return [
    ...verdictProblems(expected, verdict),
    ...certaintyProblems(expected, verdict),
    ...remedyProblems(expected, finding),
    ...textProblems(expected, finding),
  ];
}

function verdictProblems(expected: Expected, verdict: Verdict): readonly CaseProblem[] {
  const parts = [
    ['plane', [expected.plane, ...expected.planes]],
    ['phase', [expected.phase, ...expected.phases]],
    ['cause', [expected.cause, ...expected.alternatives]],
  ] as const;
  return (
    parts
      // A phase counts only where it is claimed.
      .filter(([part]) => part !== 'phase' || isCertain(verdict, part))
      .filter(([part, accepted]) => !(accepted as readonly string[]).includes(verdict[part]))
      .map(([part, accepted]) => ({
        kind: isCertain(verdict, part) ? 'certain-and-wrong' : 'verdict',
        says: `${part}: expected ${accepted.join(' or ')}, got ${verdict[part]}${isCertain(verdict, part) ? ', certain' : ''}`,
      }))
  );
}

function isCertain(verdict: Verdict, part: 'plane' | 'phase' | 'cause'): boolean {
  if (verdict.plane === 'unknown' || verdict[part] === 'n/a') return false;
  return part === 'cause' ? verdict.causeCertain : verdict.certain;
}

function certaintyProblems({ mustNotBeCertain }: Expected, verdict: Verdict): readonly CaseProblem[] {
  if (mustNotBeCertain === undefined || !verdict.certain || verdict[mustNotBeCertain] === 'unknown') return [];
  if (mustNotBeCertain === 'phase' && verdict.phase === 'n/a') return [];
  return [
    { kind: 'verdict', says: `${mustNotBeCertain}: certain of ${verdict[mustNotBeCertain]}, which is not proved` },
  ];
}

function remedyProblems({ remedy, healthy }: Expected, { diagnosis }: Finding): readonly CaseProblem[] {
  const { remedies, plane } = diagnosis.verdict;
  const text = [
    ...remedies.flatMap(({ says, edits }) => [says, ...edits.map(({ flag, to }) => `${flag} ${to ?? ''}`)]),
    ...diagnosis.next,
    ...(diagnosis.profile?.kind === 'fitted'
      ? diagnosis.profile.edits.map(({ flag, to }) => `${flag} ${to ?? ''}`)
      : []),
  ].join('\n');
  const has = (words: string) => text.toLowerCase().includes(words.toLowerCase());
  const memory = plane === 'gpu' || plane === 'host' || plane === 'both';
  return [
    ...(remedy?.mustName ?? []).filter((words) => !has(words)).map((words) => `the remedies do not name "${words}"`),
    ...(remedy?.mustNotName ?? []).filter(has).map((words) => `the remedies name "${words}"`),
    ...(healthy && memory ? ['nothing failed, and a memory failure is reported'] : []),
  ].map((says) => ({ kind: 'remedy', says }));
}

function textProblems({ shows }: Expected, finding: Finding): readonly CaseProblem[] {
  const drawn = drawTerminal(card({ ...finding, evidence: 'full' }), {
    width: 400,
    paint: pc.createColors(false),
    unicode: false,
  });
  // `15.2 GiB of 16 GiB` is written `15.2 of 16 GiB`.
  const short = (words: string) => words.replace(/^([\d.]+) (\w+) of ([\d.]+ \2)$/, '$1 of $3');
  return shows
    .filter((words) => !drawn.includes(words) && !drawn.includes(short(words)))
    .map((words) => ({ kind: 'message', says: `the message does not show "${words}"` }));
}
