import type { Facts } from '../model/fact.ts';
import type { Condition, Playbook } from './compiled.ts';
import { type Answer, combine, factOf, type Judged } from './judge.ts';
import { type CaseKind, knownOnArrival, possibleKinds } from './possible-kinds.ts';
import type { Walk } from './walk.ts';

export { type CaseKind, KINDS } from './possible-kinds.ts';

/** Names of the cases by kind. `possible` are the kinds that the branch can have: one that compares with no mark has no line. */
export type BranchCoverage = {
  readonly branch: string;
  readonly possible: readonly CaseKind[];
  readonly cases: Readonly<Record<CaseKind, readonly string[]>>;
};

/** What a set of cases has met of a playbook. */
export class Coverage {
  readonly #branches = new Map<string, { possible: readonly CaseKind[]; cases: Record<CaseKind, string[]> }>();
  readonly #findings = new Map<string, string[]>();

  constructor(playbook: Playbook) {
    const known = knownOnArrival(playbook);
    for (const question of playbook.questions) {
      const { id, branches } = question;
      const arrival = known.get(id) ?? new Set<string>();
      for (const [at, { id: branch }] of branches.entries()) {
        this.#open(`${id}/${branch}`, possibleKinds(question, at, arrival));
      }
      this.#open(`${id}/otherwise`, ['hit']);
    }
    for (const { id } of playbook.findings) this.#findings.set(id, []);
  }

  #open(branch: string, possible: readonly CaseKind[]): void {
    const cases = { hit: [], 'on-the-line': [], 'near-miss': [], 'evidence-gone': [] };
    this.#branches.set(branch, { possible, cases });
  }

  /** Notes what one case has met on its way. */
  add(name: string, { steps, finding }: Walk, facts: Facts): void {
    this.#findings.get(finding.id)?.push(name);
    for (const { question, passed, taken } of steps) {
      for (const { branch, judged } of taken === undefined ? passed : [...passed, taken]) {
        for (const kind of kindsOf(judged, facts))
          this.#branches.get(`${question.id}/${branch.id}`)?.cases[kind].push(name);
      }
      if (taken === undefined) this.#branches.get(`${question.id}/otherwise`)?.cases.hit.push(name);
    }
  }

  branches(): readonly BranchCoverage[] {
    return [...this.#branches].map(([branch, met]) => ({ branch, ...met }));
  }

  /** Branches that no case takes. */
  untaken(): readonly string[] {
    return this.branches().flatMap(({ branch, cases }) => (cases.hit.length === 0 ? [branch] : []));
  }

  /** Kinds of cases, other than a hit, that a branch lacks. */
  gaps(): readonly { readonly branch: string; readonly kind: CaseKind }[] {
    return this.branches().flatMap(({ branch, possible, cases }) =>
      possible.filter((kind) => kind !== 'hit' && cases[kind].length === 0).map((kind) => ({ branch, kind })),
    );
  }

  /** Findings that no case ends at. */
  unreached(): readonly string[] {
    return [...this.#findings].flatMap(([id, names]) => (names.length === 0 ? [id] : []));
  }
}

function kindsOf(judged: Judged, facts: Facts): readonly CaseKind[] {
  const kinds: CaseKind[] = [];
  if (judged.answer === 'yes') kinds.push('hit');
  if (judged.answer === 'unknown') kinds.push('evidence-gone');
  if (judged.answer === 'no' && leaves(judged).some((leaf) => flipped(judged, leaf) === 'yes')) kinds.push('near-miss');
  if (judged.answer !== 'unknown' && leaves(judged).some(({ condition }) => isOnTheLine(condition, facts))) {
    kinds.push('on-the-line');
  }
  return kinds;
}

function leaves(judged: Judged): readonly Judged[] {
  return judged.condition.kind === 'fact' ? [judged] : judged.of.flatMap(leaves);
}

/** The answer with one condition turned round. */
function flipped(judged: Judged, leaf: Judged): Answer {
  const { condition } = judged;
  if (judged === leaf) return judged.answer === 'yes' ? 'no' : judged.answer === 'no' ? 'yes' : 'unknown';
  if (condition.kind === 'fact') return judged.answer;
  return combine(
    condition.kind,
    judged.of.map((part) => flipped(part, leaf)),
  );
}

function isOnTheLine(condition: Condition, facts: Facts): boolean {
  if (condition.kind !== 'fact' || condition.test.kind !== 'order') return false;
  const fact = factOf(condition.entry, facts);
  return fact.kind === 'known' && fact.value === condition.test.mark;
}
