import { type Citation, isRemark } from '../model/citation.ts';
import type { Fact, FactEntry, Facts, FactValue } from '../model/fact.ts';
import type { Evidence } from '../model/verdict.ts';
import { seenOf } from './fill.ts';
import { type Answer, factOf, type Judged } from './judge.ts';
import type { Walk } from './walk.ts';

/** What the finding lists as its proof, as far as it is known and says something. */
export function proofOf(walked: Walk, facts: Facts): Evidence[] {
  return evidenceOf(walked.finding.proof, facts, idsAsked(walked));
}

function evidenceOf(proof: readonly FactEntry[], facts: Facts, asked: ReadonlySet<string>): Evidence[] {
  const known = proof.filter((entry) => {
    const fact = factOf(entry, facts);
    return fact.kind === 'known' && fact.value !== 'nothing';
  });
  const telling = known.filter((entry) => asked.has(entry.id) || !isAbsence(factOf(entry, facts)));
  return (telling.length === 0 ? known : telling).flatMap((entry): Evidence[] => {
    const fact = factOf(entry, facts);
    if (fact.kind === 'unknown') return [];
    const says = sayOf(entry, facts, fact.value);
    const from = fact.from.filter((citation) => !isRemark(citation));
    return from.length === 0 ? [] : [{ says, fact: entry.id, from }];
  });
}

// A statement that holds needs no "yes" behind it; a "no" behind one that denies something would be read twice.
function sayOf(entry: FactEntry, facts: Facts, value: FactValue): string {
  if (value === false) return `Not so: ${entry.says}`;
  const sentence = `${entry.says[0]?.toUpperCase()}${entry.says.slice(1)}`;
  return value === true ? sentence : `${sentence}: ${seenOf(entry, facts)}`;
}

/** Led by the line that decided or suggested which memory it was, whatever the finding itself lists. */
export function withLead(proof: readonly Evidence[], walked: Walk, facts: Facts): Evidence[] {
  const asked = entriesAsked(walked, (answer) => answer === 'yes');
  const lead = evidenceOf(asked.filter(namesMemory).slice(0, 1), facts, new Set())[0];
  const places = new Set(proof.flatMap(({ from }) => from.map(placeOf)));
  if (lead === undefined || lead.from.some((citation) => places.has(placeOf(citation)))) return [...proof];
  const all = idsAsked(walked);
  return [lead, ...proof.filter(({ fact }) => all.has(fact) || !isAbsence(facts.get(fact)))];
}

function placeOf(citation: Citation): string {
  return citation.kind === 'line' ? `${citation.file}:${citation.line}` : JSON.stringify(citation);
}

// A choice between memories.
function namesMemory({ unit, values = [] }: FactEntry): boolean {
  return unit === 'choice' && values.includes('gpu') && values.includes('host');
}

// That something was looked for and is not there decides nothing by itself, unless the way taken asked for it.
function isAbsence(fact: Fact | undefined): boolean {
  return fact?.kind === 'known' && (fact.value === false || fact.value === 'none' || fact.value === 'unnamed');
}

function idsAsked(walked: Walk): ReadonlySet<string> {
  return new Set(entriesAsked(walked, () => true).map(({ id }) => id));
}

// The facts that the branches taken ask for, where the answer to them is one of those wanted.
function entriesAsked({ steps }: Walk, isWanted: (answer: Answer) => boolean): FactEntry[] {
  const entriesIn = ({ condition, answer, of }: Judged): FactEntry[] =>
    condition.kind === 'fact' ? (isWanted(answer) ? [condition.entry] : []) : of.flatMap(entriesIn);
  return steps.flatMap(({ taken }) => (taken === undefined ? [] : entriesIn(taken.judged)));
}
