import type { Diagnosis, JudgedCondition, PathStep } from '../model/verdict.ts';

/** Colours of a terminal, as picocolors gives them. */
export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>>;

/** No colours: for pipes and tests. */
export const PLAIN: Paint = {
  bold: String,
  dim: String,
  red: String,
  green: String,
  yellow: String,
  cyan: String,
};

const MARKS = { yes: '+', no: '-', unknown: '?', otherwise: '>' } as const;

/** The decision path in lines: every condition with the value seen, every branch with its answer, what is missing. */
export function explain({ verdict, path, ...diagnosis }: Diagnosis, paint: Paint = PLAIN): string[] {
  const head = [
    paint.bold(`${verdict.id}: ${diagnosis.headline ?? verdict.finding}`),
    `${verdict.plane} / ${verdict.phase} / ${verdict.cause}, ${sureOf(verdict)} (finding ${verdict.finding})`,
    diagnosis.says,
    '',
  ];
  const width = Math.max(0, ...path.flatMap(({ conditions }) => conditions.map(widthOf)));
  const way = path.flatMap((step, index) => stepLines(step, path[index - 1], { paint, width }));
  return [...head, ...evidenceLines(verdict, paint), ...way, ...missingLines(verdict, paint)];
}

function sureOf({ certain, causeCertain }: Diagnosis['verdict']): string {
  if (!certain) return 'confidence: unclear';
  return causeCertain ? 'confidence: high' : 'confidence: high on the memory, likely on the cause';
}

type Style = { readonly paint: Paint; readonly width: number };

function stepLines(step: PathStep, before: PathStep | undefined, { paint, width }: Style): string[] {
  const question = before?.question === step.question ? [] : [paint.bold(`${step.question}: ${step.ask}`)];
  const answer = step.answer === 'otherwise' ? '' : `: ${step.answer}`;
  const branch = `  ${MARKS[step.answer]} ${step.branch}${answer}`;
  return [
    ...question,
    colour(step.answer, paint)(branch),
    ...step.conditions.map((condition) => {
      const text = `${indent(condition)}${condition.text}`.padEnd(width);
      const seen = condition.fact === '' ? '' : `  seen: ${condition.seen}`;
      return `${text}  ${colour(condition.answer, paint)(condition.answer.padEnd(7))}${paint.dim(seen)}`.trimEnd();
    }),
  ];
}

function indent({ depth }: JudgedCondition): string {
  return ' '.repeat(6 + 2 * depth);
}

function widthOf(condition: JudgedCondition): number {
  return indent(condition).length + condition.text.length;
}

function colour(answer: PathStep['answer'], paint: Paint): (text: string) => string {
  if (answer === 'yes' || answer === 'otherwise') return paint.green;
  return answer === 'no' ? paint.dim : paint.yellow;
}

function missingLines({ notRuledOut }: Diagnosis['verdict'], paint: Paint): string[] {
  if (notRuledOut.length === 0) return ['', 'Everything else on the path is ruled out.'];
  const items = notRuledOut.flatMap(({ branch, finding, missing }) => [
    paint.yellow(`  ? ${branch} (would lead to ${finding})`),
    ...missing.map(({ fact, reason, needs, held }) => `      ${fact}: ${held ? needs : `${reason}; needs ${needs}`}`),
  ]);
  return ['', paint.bold('Not ruled out:'), ...items];
}

function evidenceLines({ evidence }: Diagnosis['verdict'], paint: Paint): string[] {
  if (evidence.length === 0) return [];
  return [paint.bold('Evidence:'), ...evidence.map(({ says, fact }) => `  ${says} ${paint.dim(`(${fact})`)}`), ''];
}
