import fc from 'fast-check';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import type { Fact, Facts, FactValue } from '../../src/model/fact.ts';
import { Cause, Phase, Plane } from '../../src/model/taxonomy.ts';
import type { Diagnosis, Verdict } from '../../src/model/verdict.ts';
import { PLAIN } from '../../src/playbook/explain.ts';
import type { ReportInput } from '../../src/report/card.ts';
import { exampleCapture, exampleDiagnosis, exampleIncident } from '../model/examples.ts';

/** Facts with these values, each cited from the first line of the log. */
export function aFacts(values: Readonly<Record<string, FactValue>>): Facts {
  const from = [{ kind: 'line' as const, file: 'previous.log', line: 1, text: 'a line' }];
  return new Map(Object.entries(values).map(([id, value]): [string, Fact] => [id, { kind: 'known', value, from }]));
}

/** A whole input that states only what the test is about. */
export function anInput(
  given: Partial<Omit<ReportInput, 'diagnosis'>> & { verdict?: Partial<Verdict>; diagnosis?: Partial<Diagnosis> } = {},
): ReportInput {
  const { verdict, diagnosis, ...rest } = given;
  return {
    diagnosis: { ...exampleDiagnosis, ...diagnosis, verdict: { ...exampleDiagnosis.verdict, ...verdict } },
    facts: aFacts({}),
    capture: exampleCapture,
    series: undefined,
    incident: exampleIncident,
    evidence: 'full',
    ...rest,
  };
}

const text = fc.oneof(
  fc.string({ unit: 'binary-ascii', maxLength: 80 }),
  fc.constantFrom(
    '<!channel>',
    '*bold*',
    '記🔥',
    '\ud83d',
    '\u001b[31mred\u001b[0m',
    '\u202egnp.exe',
    'x'.repeat(5000),
    '',
  ),
);
const number = fc.oneof(
  fc.double(),
  fc.integer(),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, 8.64e15),
);
const citation = fc.record({
  kind: fc.constant('line' as const),
  file: fc.constantFrom('previous.log', 'pod.json'),
  line: fc.integer({ min: 1, max: 1e6 }),
  text: text.map((t) => (t === '' ? '-' : t.slice(0, 2000))),
});
const fact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record({
    kind: fc.constant('known' as const),
    value: fc.oneof(fc.boolean(), number, text),
    from: fc.array(citation, { minLength: 1, maxLength: 2 }),
  }),
  fc.record({
    kind: fc.constant('unknown' as const),
    reason: fc.constantFrom('gone' as const, 'forbidden' as const),
    detail: text,
  }),
);
const facts = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...FACT_CATALOGUE.map(({ id }) => id)), fact), {
    selector: ([id]) => id,
    maxLength: 40,
  })
  .map((entries): Facts => new Map(entries));
const missing = fc.record({
  fact: text,
  reason: fc.constantFrom('gone' as const, 'not-in-snapshot' as const),
  needs: text,
});
const verdict = fc.record({
  id: text,
  plane: fc.constantFrom(...Plane.options),
  phase: fc.constantFrom(...Phase.options),
  cause: fc.constantFrom(...Cause.options),
  certain: fc.boolean(),
  causeCertain: fc.boolean(),
  notRuledOut: fc.array(
    fc.record({ branch: text, finding: text, missing: fc.array(missing, { minLength: 1, maxLength: 3 }) }),
    { maxLength: 12 },
  ),
  alternatives: fc.array(fc.constantFrom(...Cause.options), { maxLength: 6 }),
  finding: text,
  evidence: fc.array(
    fc.record({
      says: text.map((t) => `says ${t}`),
      fact: fc.constantFrom('gpu.want', 'ram.used'),
      from: fc.array(citation, { minLength: 1, maxLength: 3 }),
    }),
    { maxLength: 15 },
  ),
  remedies: fc.array(
    fc.record({
      action: fc.constant('set-args' as const),
      says: text,
      edits: fc.array(
        fc.record({
          flag: fc.constant('--x'),
          from: fc.option(text),
          to: fc.option(text),
          why: text,
          facts: fc.constant<string[]>([]),
        }),
        { maxLength: 3 },
      ),
      direction: fc.constantFrom('raise' as const, 'lower' as const, 'set' as const, 'none' as const),
      kind: fc.constantFrom('stop-bleed' as const, 'lasting' as const),
    }),
    { maxLength: 6 },
  ),
});

/** Any input that the types allow, hostile texts and odd numbers among them. */
export const anyInput: fc.Arbitrary<ReportInput> = fc
  .record({
    verdict,
    facts,
    says: text,
    headline: fc.option(text, { nil: undefined }),
    next: fc.array(text, { maxLength: 6 }),
    evidence: fc.constantFrom('full' as const, 'verdict-only' as const),
    incident: fc.option(fc.constant(exampleIncident), { nil: undefined }),
    capture: fc.option(
      text.map((t) => ({ ...exampleCapture, pod: t, container: t })),
      { nil: undefined },
    ),
  })
  .map(({ verdict: v, says, headline, next, ...rest }) => ({
    diagnosis: { ...exampleDiagnosis, verdict: v, says, headline, next },
    series: undefined,
    ...rest,
  }));

/** Terminal drawing without colour, wide enough for a table. */
export const AS_TEXT = { width: 110, paint: PLAIN, unicode: true };
