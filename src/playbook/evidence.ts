import { placeOf } from '../model/citation.ts';
import type { Fact, FactEntry, Facts, FactValue, KnownFact } from '../model/fact.ts';
import { capital } from '../model/format-value.ts';
import type { Evidence } from '../model/verdict.ts';
import { seenOf } from './fill.ts';
import { type Answer, factOf, type Judged } from './judge.ts';
import type { Walk } from './walk.ts';

/** What the finding lists as its proof, as far as it is known and says something. */
export function proofOf(walked: Walk, facts: Facts): Evidence[] {
  return knownOf(walked.finding.proof, facts, idsAsked(walked)).flatMap((proof) => evidenceOf(proof, facts));
}

/** What these facts prove, as far as they are known. */
export function provenBy(proof: readonly FactEntry[], facts: Facts): Evidence[] {
  return knownOf(proof, facts, new Set()).flatMap((one) => evidenceOf(one, facts));
}

/** Whether anything that the finding lists is known, be it that something is not so. */
export function isProved(walked: Walk, facts: Facts): boolean {
  return knownOf(walked.finding.proof, facts, idsAsked(walked)).length > 0;
}

type Proof = { readonly entry: FactEntry; readonly fact: KnownFact };

function knownOf(proof: readonly FactEntry[], facts: Facts, asked: ReadonlySet<string>): Proof[] {
  const known = proof.flatMap((entry): Proof[] => {
    const fact = factOf(entry, facts);
    return fact.kind === 'known' && fact.value !== 'nothing' ? [{ entry, fact }] : [];
  });
  const telling = known.filter(({ entry, fact }) => asked.has(entry.id) || !isAbsence(fact));
  return telling.length === 0 ? known : telling;
}

function evidenceOf({ entry, fact }: Proof, facts: Facts): Evidence[] {
  const says = sayOf({ entry, fact }, facts);
  const { from } = fact;
  // Of a default the version is the proof; what else was given says nothing of it.
  const shown = fact.byDefault === true ? from.slice(0, 1) : from;
  return says === undefined ? [] : [{ says, fact: entry.id, from: shown }];
}

// A statement that holds needs no "yes" behind it. One that does not hold proves nothing by its own words.
function sayOf({ entry, fact }: Proof, facts: Facts): string | undefined {
  const { value } = fact;
  if (isAbsence(fact) && !namesMemory(entry)) return entry.saysNot === undefined ? undefined : capital(entry.saysNot);
  const sentence = capital(entry.says);
  if (value === true) return sentence;
  return `${sentence}: ${seenOf(entry, facts)}${fact.byDefault === true ? ', by default' : ''}`;
}

/** Led by the line that decided or suggested which memory it was, whatever the finding itself lists. */
export function withLead(proof: readonly Evidence[], walked: Walk, facts: Facts): Evidence[] {
  const asked = entriesAsked(walked, (answer) => answer === 'yes');
  const [lead] = knownOf(asked.filter(namesMemory).slice(0, 1), facts, new Set()).flatMap((one) =>
    evidenceOf(one, facts),
  );
  const places = new Set(proof.flatMap(({ from }) => from.map(placeOf)));
  if (lead === undefined || lead.from.some((citation) => places.has(placeOf(citation)))) return [...proof];
  const all = idsAsked(walked);
  return [lead, ...proof.filter(({ fact }) => all.has(fact) || !isAbsence(facts.get(fact)))];
}

// A choice between memories.
function namesMemory({ unit, values = [] }: FactEntry): boolean {
  return unit === 'choice' && values.includes('gpu') && values.includes('host');
}

const ABSENCES: ReadonlySet<FactValue> = new Set<FactValue>([false, 'no', 'none', 'unnamed']);

// That something was looked for and is not there decides nothing by itself, unless the way taken asked for it.
function isAbsence(fact: Fact | undefined): boolean {
  return fact?.kind === 'known' && ABSENCES.has(fact.value);
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
