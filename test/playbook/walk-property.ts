import fc from 'fast-check';
import { expect } from 'vitest';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import type { Fact, FactEntry } from '../../src/model/fact.ts';
import { UnknownReason } from '../../src/model/fact.ts';
import { Diagnosis } from '../../src/model/verdict.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { explain } from '../../src/playbook/explain.ts';
import { drawGraph } from '../../src/playbook/graph.ts';
import { CATALOGUES, playbookOf, smallText } from './builders.ts';

type Size = { readonly seed: number; readonly numRuns: number };

const MARKS = { share: 'share', bytes: 'size', duration: 'time', count: 'whole', tokens: 'whole', ratio: 'whole' };
const entry = fc.constantFrom(...FACT_CATALOGUE);

const leaf = entry.chain((fact): fc.Arbitrary<object> => {
  const known = fc.record({ fact: fc.constant(fact.id), known: fc.boolean() });
  if (fact.unit in MARKS) {
    const mark = `$${MARKS[fact.unit as keyof typeof MARKS]}`;
    return fc
      .constantFrom('above', 'at-least', 'below', 'at-most', 'is')
      .map((order) => ({ fact: fact.id, [order]: mark }));
  }
  if (fact.unit === 'yes-no') return fc.record({ fact: fc.constant(fact.id), is: fc.boolean() });
  if (fact.unit === 'choice') {
    return fc.record({ fact: fc.constant(fact.id), in: fc.subarray(fact.values ?? [], { minLength: 1 }) });
  }
  return known;
});

const condition = fc.letrec<{ node: object }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 2, withCrossShrink: true },
    leaf,
    fc.record({ all: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ any: fc.array(tie('node'), { minLength: 1, maxLength: 3 }) }),
    fc.record({ not: tie('node') }),
  ),
})).node;

const finding = (plane: string, phase: unknown, cause: unknown, says: string, ...proof: readonly string[]) => {
  return { plane, phase, cause, headline: 'h', says, proof };
};
const FROM_LOG = { fact: 'evidence.cause', among: ['gpu.chronic.leak', 'host.shm'], otherwise: 'host.offload' };
const FINDINGS = {
  a: finding('gpu', 'burst', 'gpu.burst.logits', '{{gpu.want}}', 'gpu.want'),
  b: finding('host', 'n/a', 'host.offload', '{{engine.name}}', 'ram.limit'),
  c: finding('both', { from: 'cause', otherwise: 'n/a' }, FROM_LOG, '{{gpu.oom-at}}', 'gpu.oom-at', 'gpu.product'),
  d: finding('unknown', 'n/a', 'unknown', 's'),
};

const COUNT = 5;
// A question may lead to any later one, so that there are many ways and no circle.
const target = (index: number): fc.Arbitrary<object> => {
  const finding = fc.constantFrom('a', 'b', 'c', 'd').map((id) => ({ finding: id }));
  if (index + 1 >= COUNT) return finding;
  return fc.oneof(
    finding,
    fc.integer({ min: index + 1, max: COUNT - 1 }).map((next) => ({ ask: `q${next}` })),
  );
};

const question = (index: number): fc.Arbitrary<object> => {
  const branch = fc.tuple(condition, target(index), fc.constantFrom({}, { settles: 'w' }, { 'does-not-doubt': 'w' }));
  return fc.tuple(fc.array(branch, { minLength: 1, maxLength: 4 }), target(index)).map(([branches, otherwise]) => ({
    ask: 'What?',
    branches: branches.map(([when, to, mark], at) => ({ id: `b${at}`, if: when, ...to, ...mark })),
    otherwise,
  }));
};

const THRESHOLDS = {
  share: { value: 0.5, why: 'w', source: 's' },
  size: { value: '1GiB', why: 'w', source: 's' },
  time: { value: '10m', why: 'w', source: 's' },
  whole: { value: 3, why: 'w', source: 's' },
};

// JSON is YAML, so a random playbook needs no writer of its own.
const playbook = fc.tuple(...Array.from({ length: COUNT }, (_, index) => question(index))).map((questions) =>
  JSON.stringify({
    playbook: { name: 'random', version: 1, schema: 2, start: 'q0' },
    thresholds: THRESHOLDS,
    questions: Object.fromEntries(questions.map((one, index) => [`q${index}`, one])),
    findings: FINDINGS,
  }),
);

const from = [{ kind: 'line' as const, file: 'previous.log', line: 1, text: 'x' }];

function factOf({ unit, values }: FactEntry): fc.Arbitrary<Fact | undefined> {
  const fitting: fc.Arbitrary<boolean | number | string> =
    unit === 'yes-no'
      ? fc.boolean()
      : unit === 'choice'
        ? fc.constantFrom(...(values ?? ['']))
        : unit === 'text'
          ? fc.string()
          : fc.constantFrom(0, 0.5, 1, 3, 600, 2 ** 30, 1e300, -1, Number.NaN);
  const wrong = fc.oneof(fc.boolean(), fc.double(), fc.string({ unit: 'binary' }));
  const value = fc.oneof({ weight: 9, arbitrary: fitting }, { weight: 1, arbitrary: wrong });
  return fc.oneof(
    value.map((known): Fact => ({ kind: 'known', value: known, from })),
    fc.constantFrom(...UnknownReason.options).map((reason): Fact => ({ kind: 'unknown', reason, detail: '' })),
    fc.constant(undefined),
  );
}

const facts = fc
  .tuple(...FACT_CATALOGUE.map((one) => factOf(one).map((fact) => [one.id, fact] as const)))
  .map((all) => new Map(all.flatMap(([id, fact]) => (fact === undefined ? [] : [[id, fact] as const]))));

/** For random playbooks and facts: never a throw, always a finding of the playbook, the same answer twice, certain only with proof. */
export function walkProperty({ seed, numRuns }: Size): void {
  fc.assert(
    fc.property(playbook, facts, (text, some) => {
      const compiled = playbookOf(text);

      const diagnosis = diagnose(compiled, some, 'snap');

      expect(Diagnosis.parse(diagnosis).verdict.finding).toMatch(/^[abcd]$/);
      expect(diagnose(compiled, new Map([...some].toReversed()), 'snap')).toEqual(diagnosis);
      expect(diagnosis.path.at(-1)?.answer).toMatch(/^(yes|otherwise)$/);
      expect(diagnosis.verdict.certain && diagnosis.verdict.evidence.length === 0).toBe(false);
      const open = diagnosis.path.filter(({ answer }) => answer === 'unknown').map((s) => `${s.question}/${s.branch}`);
      expect(diagnosis.verdict.notRuledOut.map(({ branch }) => branch)).toEqual(open);
      expect(explain(diagnosis).length).toBeGreaterThan(3);
      expect(drawGraph(compiled)).toContain('f_a[');
    }),
    { seed, numRuns },
  );
}

/** Damaged playbooks and any text: problems with places, never a throw. */
export function aimlessText({ seed, numRuns }: Size): void {
  const good = smallText();
  const damaged = fc
    .tuple(
      fc.nat(good.length),
      fc.nat(40),
      fc.constantFrom('', '{', ']', ': ', '\n', '- ', '&a', '*a', '$', '"', '\t', '0x1F', '~'),
    )
    .map(([at, cut, put]) => good.slice(0, at) + put + good.slice(at + cut));
  fc.assert(
    fc.property(fc.oneof(damaged, fc.string({ unit: 'binary' }), fc.json()), (text) => {
      const compiled = compilePlaybook([{ path: 'p.yaml', text }], CATALOGUES);

      const problems = compiled.kind === 'bad' ? compiled.problems : compiled.warnings;
      expect(compiled.kind === 'sound' || problems.length > 0).toBe(true);
      expect(problems.every(({ line, column, message }) => line >= 1 && column >= 1 && message !== '')).toBe(true);
    }),
    { seed, numRuns },
  );
}
