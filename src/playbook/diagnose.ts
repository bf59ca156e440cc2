import type { Facts, FactValue } from '../model/fact.ts';
import { formatValue } from '../model/format-value.ts';
import { bucketOf, type Cause } from '../model/taxonomy.ts';
import type { Topic } from '../model/topic.ts';
import type { Diagnosis, Evidence, JudgedCondition, NotRuledOut, PathStep, Remedy } from '../model/verdict.ts';
import type { CommonOffer, Condition, Finding, Offer, Playbook, Told } from './compiled.ts';
import { certainty, doubts, NOT_CERTAIN, settle } from './doubt.ts';
import { isProved, proofOf, provenBy, withLead } from './evidence.ts';
import { fill, fillKnown, firstWordsOf, seenOf } from './fill.ts';
import { factOf, type Judged, judge, missingOf } from './judge.ts';
import { stillNeeded } from './still-needed.ts';
import { type Walk, walk } from './walk.ts';

/** Facts in, verdict out, with the way that led there. Pure and total: same facts, same answer, never a throw. */
export function diagnose(playbook: Playbook, facts: Facts, snapshotId: string): Diagnosis {
  const walked = walk(playbook.start, facts);
  const { finding } = walked;
  const { firm, ...settled } = settle(finding, facts, walked.marks);
  const others = doubts(walked, facts);
  const proof = proofOf(walked, facts);
  const offers = offersOf(playbook, finding, settled.cause);
  const offered = remediesOf(offers, facts);
  const now = facts.get('instance.state');
  // The start that failed has been made good since.
  const isUp = settled.phase === 'startup' && now?.kind === 'known' && now.value === 'came-up';
  // What is left to do then: nothing bleeds, and what answers the failed arguments may undo what cured them.
  const remedies = isUp ? offered.filter(({ kind }) => kind === 'lasting') : offered;
  const { proof: ofLead, ...lead } = isUp ? { proof: [] } : leadOf(offers, facts);
  const [first, ...rest] = withLead(proof, walked, facts);
  const without = finding.without.filter(({ kind }) => remedies.every((remedy) => remedy.kind !== kind));
  const topics = topicsOf(playbook, settled.cause, facts);
  // What the author of the finding would consider is likelier than whatever nothing excludes.
  const alternatives = [...finding.alternatives, ...others.map(({ cause }) => cause)];
  return {
    verdict: {
      id: snapshotId,
      ...settled,
      ...(isProved(walked, facts) ? certainty(walked, { ...settled, firm }, others) : NOT_CERTAIN),
      notRuledOut: notRuledOut(walked, facts),
      alternatives: othersThan(settled.cause, alternatives.filter(canBe(playbook, facts))),
      finding: finding.id,
      evidence: [...(first === undefined ? [] : [first]), ...ofLead, ...rest],
      remedies,
    },
    headline: headlineOf(finding, facts),
    says: fillKnown(finding.says, facts),
    ...lead,
    bucket: bucketOf(settled.cause),
    path: pathOf(walked, facts),
    next: [...(isUp ? [CAME_UP] : []), ...nextOf(finding, facts)],
    ...(without.length === 0 ? {} : { without: [...without] }),
    ...(topics.length === 0 ? {} : { topics }),
    playbook: { name: playbook.name, version: playbook.version, hash: playbook.hash },
  };
}

const CAME_UP =
  'The container restarted and is ready now. Compare its current settings with the failed ones before you change anything.';

function nextOf({ next }: Finding, facts: Facts): readonly string[] {
  return next.filter((one) => isOffered(one, facts)).map(({ says }) => fillKnown(says, facts));
}

function headlineOf({ headline, named }: Finding, facts: Facts): string {
  const isNamed = named !== undefined && factOf(named, facts).kind === 'known';
  return (isNamed ? firstWordsOf(seenOf(named, facts)) : undefined) ?? fill(headline, facts);
}

function othersThan(cause: Cause, alternatives: readonly Cause[]): Cause[] {
  return [...new Set(alternatives)].filter((other) => other !== cause && other !== 'unknown');
}

// A cause that this program cannot have is not offered.
function canBe({ impossible }: Playbook, facts: Facts): (cause: Cause) => boolean {
  const not = impossible.filter(({ condition }) => judge(condition, facts).answer === 'yes');
  return (cause) => !not.some(({ causes }) => causes.includes(cause));
}

function notRuledOut({ steps }: Walk, facts: Facts): NotRuledOut[] {
  return steps.flatMap(({ question, passed }) =>
    passed
      .filter(({ judged }) => judged.answer === 'unknown')
      .map(({ branch, judged }) => {
        const { finding, marks } = walk(branch.then, facts);
        return {
          branch: `${question.id}/${branch.id}`,
          finding: finding.id,
          headline: fill(finding.headline, facts),
          cause: settle(finding, facts, marks).cause,
          missing: missingOf(judged).map((missing) => ({
            fact: missing.entry.id,
            reason: missing.fact.reason,
            ...stillNeeded(missing, facts),
          })),
        };
      }),
  );
}

function topicsOf({ topics }: Playbook, cause: Cause, facts: Facts): Topic[] {
  const name = facts.get('engine.name');
  const isTold = (engines: readonly string[] | undefined) =>
    engines === undefined || name?.kind !== 'known' || engines.includes(String(name.value));
  return topics.filter(({ causes, engines }) => causes.includes(cause) && isTold(engines)).map(({ topic }) => topic);
}

type AnyOffer = Offer & Partial<Pick<CommonOffer, 'leads'>>;

function offersOf({ offers }: Playbook, finding: Finding, cause: Cause): readonly AnyOffer[] {
  const own = new Set(finding.offers.map(({ action }) => action.id));
  const isNew = ({ action, leads }: CommonOffer) => (leads && action.id === 'advise') || !own.has(action.id);
  const common = offers.filter((one) => one.causes.includes(cause) && isNew(one));
  const isFirst = ({ leads }: CommonOffer) => leads !== undefined;
  return [...common.filter(isFirst), ...finding.offers, ...common.filter((one) => !isFirst(one))];
}

/** Of the offers that lead: what proves them, and what the first that says anything puts before the cause. */
function leadOf(offers: readonly AnyOffer[], facts: Facts): Pick<Diagnosis, 'change'> & { proof: Evidence[] } {
  const leads = offers.flatMap((one) => (one.leads !== undefined && isOffered(one, facts) ? one.leads : []));
  const proof = leads.flatMap((one) => provenBy(one.proof, facts));
  const first = leads.find(({ says }) => says !== undefined);
  if (first?.says === undefined) return { proof };
  const proved = first.proved !== undefined && judge(first.proved, facts).answer === 'yes';
  return { change: { says: fillKnown(first.says, facts), proved }, proof };
}

/** Whether an offer is made, or a text told: what it asks for is so, and nothing that keeps it back is. */
export function isOffered({ condition, unless }: Pick<Told, 'condition' | 'unless'>, facts: Facts): boolean {
  const isSo = (asked: Condition) => judge(asked, facts).answer === 'yes';
  return (condition === undefined || isSo(condition)) && (unless === undefined || !isSo(unless));
}

function remediesOf(offers: readonly Offer[], facts: Facts): Remedy[] {
  const known = (id: string) => {
    const fact = facts.get(id);
    return fact?.kind === 'known' ? fact.value : undefined;
  };
  const made = firstOfGroups(offers.filter((offer) => isOffered(offer, facts)));
  return byWhatTheyFree(made, known).map(({ action, parameters, kind, direction, says }) => {
    const edits = [...action.edits(parameters, known)];
    const isAdvice = edits.length === 0 && action.needsEdits(parameters);
    const profile = action.profile(parameters);
    const said = { action: isAdvice ? 'advise' : action.id, says: fillKnown(says, facts) } as const;
    return { ...said, edits, direction, kind, ...(profile !== undefined && { profile }) };
  });
}

function firstOfGroups(made: readonly Offer[]): readonly Offer[] {
  return made.filter(
    ({ firstOf }, index) => firstOf === undefined || made.findIndex((one) => one.firstOf === firstOf) === index,
  );
}

type Known = (id: string) => FactValue | undefined;

// Offers that free memory stand in the places that offers of their kind with such a figure have, what frees most first.
function byWhatTheyFree(offers: readonly Offer[], known: Known): readonly Offer[] {
  const freed = ({ frees }: Offer) => {
    const value = frees && known(frees.id);
    return typeof value === 'number' ? value : -1;
  };
  const sorted = (kind: Offer['kind']) =>
    offers.filter((one) => one.frees !== undefined && one.kind === kind).toSorted((a, b) => freed(b) - freed(a));
  const queues = {
    'stop-bleed': sorted('stop-bleed')[Symbol.iterator](),
    lasting: sorted('lasting')[Symbol.iterator](),
  };
  return offers.map((one) => (one.frees === undefined ? one : (queues[one.kind].next().value ?? one)));
}

function pathOf({ steps }: Walk, facts: Facts): PathStep[] {
  return steps.flatMap((step) => {
    const tried = step.taken === undefined ? step.passed : [...step.passed, step.taken];
    const asked = { question: step.question.id, ask: step.question.ask };
    const path = tried.map(({ branch, judged }): PathStep => {
      return { ...asked, branch: branch.id, answer: judged.answer, conditions: lines(judged, facts, 0) };
    });
    const rest: PathStep = { ...asked, branch: 'otherwise', answer: 'otherwise', conditions: [] };
    return step.taken === undefined ? [...path, rest] : path;
  });
}

const GROUP_WORDS = { all: 'all of', any: 'any of', not: 'not' } as const;

function lines({ condition, answer, seen, of }: Judged, facts: Facts, depth: number): JudgedCondition[] {
  if (condition.kind !== 'fact') {
    const head = { text: GROUP_WORDS[condition.kind], says: '', fact: '', seen: '', answer, depth };
    return [head, ...of.flatMap((part) => lines(part, facts, depth + 1))];
  }
  const why = seen?.kind === 'unknown' ? ` (${seen.reason})` : '';
  const { entry, text } = condition;
  const says = wordsFor(condition, facts);
  return [{ text, says, fact: entry.id, seen: `${seenOf(entry, facts)}${why}`, answer, depth }];
}

const ORDER_WORDS = { above: 'above', 'at-least': 'at least', below: 'below', 'at-most': 'at most' } as const;

// `held by other processes on the device: 20.7 GiB (at least 3 GiB)`.
function wordsFor({ entry, test }: Extract<Condition, { kind: 'fact' }>, facts: Facts): string {
  const seen = seenOf(entry, facts);
  if (entry.unit === 'yes-no' && factOf(entry, facts).kind === 'known' && seen === 'yes') return entry.says;
  const mark = test.kind === 'order' ? ` (${ORDER_WORDS[test.order]} ${formatValue(entry.unit, test.mark)})` : '';
  return `${entry.says}: ${seen}${mark}`;
}
