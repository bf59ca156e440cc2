import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_CATALOGUE } from '../../src/actions/catalogue.ts';
import { ADVICE_FACTS } from '../../src/budget/advice-facts.ts';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import type { Fact, Facts, FactValue, UnknownReason } from '../../src/model/fact.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import type { Playbook } from '../../src/playbook/compiled.ts';

export const CATALOGUES = { facts: [...FACT_CATALOGUE, ...ADVICE_FACTS], actions: ACTION_CATALOGUE };

const FIXTURE = join(import.meta.dirname, '../fixtures/playbooks');

export function fixture(name: string): string {
  return readFileSync(join(FIXTURE, name), 'utf8');
}

/** The small playbook, with words of it replaced. A word that is not there is a mistake of the test. */
export function smallText(...changes: readonly (readonly [from: string, to: string])[]): string {
  let text = fixture('oom/playbook.yaml');
  for (const [from, to] of changes) {
    if (!text.includes(from)) throw new Error(`the small playbook does not hold ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

export function playbookOf(text: string): Playbook {
  const compiled = compilePlaybook([{ path: 'oom/playbook.yaml', text }], CATALOGUES);
  if (compiled.kind === 'bad') throw new Error(compiled.problems.map(({ message }) => message).join('\n'));
  return compiled.playbook;
}

/** What is said about a text, as `line:column message`; warnings begin with `warning`. */
export function saidAbout(text: string): string[] {
  const compiled = compilePlaybook([{ path: 'oom/playbook.yaml', text }], CATALOGUES);
  const problems = compiled.kind === 'bad' ? compiled.problems : compiled.warnings;
  return problems.map(
    ({ line, column, message, severity }) => `${severity === 'warning' ? 'warning ' : ''}${line}:${column} ${message}`,
  );
}

export function known(value: FactValue): Fact {
  return { kind: 'known', value, from: [{ kind: 'line', file: 'previous.log', line: 1, text: 'a line' }] };
}

export function unknown(reason: UnknownReason = 'unreachable'): Fact {
  return { kind: 'unknown', reason, detail: '' };
}

/** Facts by id; a plain value is known, a fact stands for itself. */
export function factsOf(values: Readonly<Record<string, FactValue | Fact>>): Facts {
  return new Map(Object.entries(values).map(([id, value]) => [id, typeof value === 'object' ? value : known(value)]));
}

/** A playbook of one question. `branches` and `more` are YAML in flow style. */
export function oneQuestion(branches: string, more: { thresholds?: string; findings?: string } = {}): string {
  return `playbook: { name: test, version: 1, schema: 2, start: q }
thresholds: { ${more.thresholds ?? ''} }
questions:
  q:
    ask: What?
    branches:
${branches}
    otherwise: { finding: none }
findings:
  none: { plane: unknown, phase: n/a, cause: unknown, headline: h, says: s, proof: [] }
  gpu: { plane: gpu, phase: burst, cause: gpu.burst.logits, headline: h, says: s, proof: [gpu.oom-logged] }
  host: { plane: host, phase: n/a, cause: host.offload, headline: h, says: s, proof: [death.oom-killed] }
  ${more.findings ?? ''}
`;
}
