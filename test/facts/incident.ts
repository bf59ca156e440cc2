import { diagnoseSource, readFacts } from '../../src/app/triage/diagnose.ts';
import type { Facts, FactValue } from '../../src/model/fact.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES, judge } from '../playbooks/shipped.ts';

export type Files = Readonly<Record<string, string>>;

/** The log of the run that failed. */
export const logged = (...lines: readonly string[]): Files => ({ 'previous.log': `${lines.join('\n')}\n` });

/** The incident as far as it is known, such as its engine and its time of life. */
export const known = (incident: object): Files => ({ 'incident.json': JSON.stringify(incident) });

export const diagnoseFiles = (files: Files) =>
  diagnoseSource(aSnapshot(files), { signatures: COMPILED_SIGNATURES, judge, book: BOOK });

export const verdictOfFiles = async (files: Files) => (await diagnoseFiles(files)).diagnosis.verdict;

export const factsOfFiles = (files: Files) => readFacts(aSnapshot(files), COMPILED_SIGNATURES, BOOK);

/** The value of a fact where it is known. */
export function valueOfFact(facts: Facts, id: string): FactValue | undefined {
  const fact = facts.get(id);
  if (fact === undefined) throw new Error(`no fact ${id}`);
  return fact.kind === 'known' ? fact.value : undefined;
}

/** The value of a fact of these files. */
export const valueIn = async (files: Files, id: string) => valueOfFact(await factsOfFiles(files), id);
