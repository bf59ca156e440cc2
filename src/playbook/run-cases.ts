import { toOomError } from '../model/errors.ts';
import type { Fact, Facts } from '../model/fact.ts';
import type { Diagnosis } from '../model/verdict.ts';
import type { Case, Expect, FileChange, GivenFact } from './cases-format.ts';
import type { Playbook } from './compiled.ts';
import { Coverage } from './coverage.ts';
import { diagnose } from './diagnose.ts';
import { walk } from './walk.ts';

/** Reads the facts of a folder under `incidents`, with its files changed. */
export type ReadIncident = (folder: string, change: readonly FileChange[]) => Promise<Facts>;

/** What one case showed; `differences` is empty where it holds. */
export type CaseResult = { readonly case: Case; readonly differences: readonly string[] };
export type CasesReport = { readonly results: readonly CaseResult[]; readonly coverage: Coverage };

export type RunCases = {
  readonly playbook: Playbook;
  readonly cases: readonly Case[];
  readonly readIncident: ReadIncident;
};

/** Walks the playbook with every case and compares what came out with what is expected. A folder that cannot be read fails its case. */
export async function runCases({ playbook, cases, readIncident }: RunCases): Promise<CasesReport> {
  const coverage = new Coverage(playbook);
  const results: CaseResult[] = [];
  for (const one of cases) {
    const facts = await factsOf(one, readIncident);
    if (facts.kind === 'failed') {
      results.push({ case: one, differences: [facts.why] });
      continue;
    }
    coverage.add(one.name, walk(playbook.start, facts.facts), facts.facts);
    results.push({ case: one, differences: compare(one.expect, diagnose(playbook, facts.facts, one.name)) });
  }
  return { results, coverage };
}

type CaseFacts = { readonly kind: 'read'; readonly facts: Facts } | { readonly kind: 'failed'; readonly why: string };

async function factsOf(one: Case, readIncident: ReadIncident): Promise<CaseFacts> {
  const given = [...one.facts].map(([id, fact]): [string, Fact] => [id, asFact(id, fact)]);
  if (one.incident === undefined) return { kind: 'read', facts: new Map(given) };
  try {
    return { kind: 'read', facts: new Map([...(await readIncident(one.incident, one.change)), ...given]) };
  } catch (thrown) {
    return { kind: 'failed', why: `incident ${one.incident} cannot be read: ${toOomError(thrown).message}` };
  }
}

// A stated fact has no snapshot behind it; the citation names the statement.
function asFact(id: string, given: GivenFact): Fact {
  if (given.kind === 'unknown') return { kind: 'unknown', reason: given.reason, detail: 'removed by the case' };
  const text = JSON.stringify(given.value);
  return {
    kind: 'known',
    value: given.value,
    from: [{ kind: 'field', file: 'incident.json', path: `/facts/${id}`, text }],
  };
}

/** What differs between what a case expects and what the playbook says, in words. */
function compare(expect: Expect, { verdict, says, headline, change, path }: Diagnosis): string[] {
  const way = path.filter(({ answer }) => answer === 'yes' || answer === 'otherwise').map(({ branch }) => branch);
  const notRuledOut = verdict.notRuledOut.map(({ branch }) => branch);
  const offers = verdict.remedies.map(({ action }) => action);
  const said = [headline ?? '', change?.says ?? '', says].join('\n');
  return [
    ...differs('path', expect.path?.join(' > '), way.join(' > ')),
    ...differs('finding', expect.finding, verdict.finding),
    ...differs('plane', expect.plane, verdict.plane),
    ...differs('phase', expect.phase, verdict.phase),
    ...differs('cause', expect.cause, verdict.cause),
    ...differs('certain', expect.certain, verdict.certain),
    ...differs('cause-certain', expect['cause-certain'], verdict.causeCertain),
    ...differs('not-ruled-out', listed(expect['not-ruled-out']), listed(notRuledOut)),
    ...differs('alternatives', listed(expect.alternatives), listed(verdict.alternatives)),
    ...differs('offers', expect.offers?.join(', '), offers.join(', ')),
    ...(expect.says === undefined || said.includes(expect.says)
      ? []
      : [`says: expected "${expect.says}" in "${says}"`]),
  ];
}

function listed(items: readonly string[] | undefined): string | undefined {
  return items?.toSorted().join(', ');
}

function differs<T extends string | boolean>(name: string, expected: T | undefined, got: T | undefined): string[] {
  if (expected === undefined || expected === got) return [];
  return [`${name}: expected ${expected === '' ? 'none' : expected}, got ${got === '' ? 'none' : got}`];
}
