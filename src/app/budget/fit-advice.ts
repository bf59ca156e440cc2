import { adviseArguments } from '../../budget/advice.ts';
import type { Advised } from '../../budget/advice-input.ts';
import type { ProfileBook } from '../../budget/profiles.ts';
import { fact, uniqueProof } from '../../facts/log/draft.ts';
import type { Citation } from '../../model/citation.ts';
import type { Fact, Facts } from '../../model/fact.ts';
import { type EngineEvidence, stateOf } from './budget.ts';
import { numberOf, textOf } from './engine-figures.ts';

/** The facts with the values that they lead to, by the sums that `oom budget` and a plan make as well. */
export function withAdvice(evidence: EngineEvidence, book: ProfileBook): Facts {
  const { facts } = evidence;
  return new Map([...facts, ...adviceFor(evidence, book)]);
}

function adviceFor(evidence: EngineEvidence, book: ProfileBook): readonly (readonly [string, Fact])[] {
  const { facts } = evidence;
  const of = (id: string) => numberOf(facts, id);
  const advice = adviseArguments({
    state: stateOf(evidence, book),
    utilization: of('engine.utilization'),
    sequences: of('engine.max-num-seqs'),
    running: textOf(facts, 'failure.life') === 'serving' ? of('requests.running') : undefined,
    batchedTokens: of('engine.max-batched-tokens'),
    wantBytes: of('gpu.want'),
    freeBytes: of('gpu.free'),
  });
  return Object.entries(advice).flatMap(([id, advised]) => {
    const found = advised && factOf(advised, evidence);
    return found === undefined ? [] : [[id, found] as const];
  });
}

function factOf({ value, from }: Advised, evidence: EngineEvidence): Fact | undefined {
  return fact(value, uniqueProof(from.flatMap((name) => proofOf(name, evidence) ?? [])));
}

// Of a fact, or of a startup figure.
function proofOf(name: string, { facts, figures }: EngineEvidence): Citation | undefined {
  const source = facts.get(name);
  if (source !== undefined) return source.kind === 'known' ? source.from[0] : undefined;
  return Object.entries(figures ?? {}).find(([key]) => key === name)?.[1]?.from;
}
