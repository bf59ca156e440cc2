import type { Citation } from '../../model/citation.ts';
import type { Facts } from '../../model/fact.ts';
import { formatValue } from '../../model/format-value.ts';
import { code, plain, type Span } from '../../model/message.ts';
import type { Verdict } from '../../model/verdict.ts';
import { cite } from '../words/citations.ts';
import { knownNumber, knownValue, shownValue } from '../words/report-input.ts';
import { clip } from '../words/sentence.ts';

/** Something that came before the failure and belongs to its story: the fact, a sentence, and where it can be looked up. */
export type Before = { readonly fact: string; readonly says: string; readonly from: readonly Citation[] };

type About = Pick<Verdict, 'plane' | 'phase'>;
type Told = Pick<Verdict, 'evidence'>;
type Rule = { readonly fact: string; readonly says: (facts: Facts, about: About) => string | undefined };

// What a person would ask first comes first.
const RULES: readonly Rule[] = [
  { fact: 'revision.changed', says: saysRollOut },
  { fact: 'requests.prompt-p95', says: saysLengths },
  { fact: 'death.restarts', says: saysRestarts },
  { fact: 'pod.siblings-dead-share', says: saysSiblings },
];

/** What came before, as far as it is known, says something of this verdict and is not its proof already. */
export function beforeOf(facts: Facts, verdict: About & Told): Before[] {
  const told = new Set(verdict.evidence.map(({ fact }) => fact));
  return RULES.flatMap(({ fact: id, says }) => {
    const fact = facts.get(id);
    if (fact?.kind !== 'known' || told.has(id)) return [];
    const text = says(facts, verdict);
    // The first life is the one that has just ended; the last cited is that of before.
    const from = id === 'death.steady-age' ? fact.from.toReversed() : fact.from;
    return text === undefined ? [] : [{ fact: id, says: text, from }];
  });
}

const QUOTE = 90;

/** The same as rows, each with its proof; `most` of them. */
export function beforeItems(before: readonly Before[], most = before.length): Span[][] {
  return before.slice(0, most).map(({ says, from: [first] }) => {
    const proof = first === undefined ? [] : [plain(' · '), code(clip(cite(first, QUOTE), 200))];
    return [plain(clip(says, 700)), ...proof];
  });
}

const MEMORIES: Readonly<Record<string, string>> = { gpu: 'GPU memory', host: 'RAM' };

// Of the memory that the verdict is about it is the same story.
function saysOutlived(facts: Facts, { plane }: About): string | undefined {
  const memory = String(knownValue(facts, 'outlived.memory'));
  if (plane === memory || plane === 'both') return undefined;
  const [at, end] = [knownNumber(facts, 'outlived.at'), knownNumber(facts, 'death.at')];
  const lead = at === undefined || end === undefined || end < at ? undefined : (end - at) / 1000;
  const before = lead === undefined ? 'before' : `${formatValue('duration', lead)} before the end`;
  const times = knownNumber(facts, 'outlived.times') ?? 1;
  const often = times < 2 ? '' : ` (${times} times, this is the last)`;
  return `${MEMORIES[memory]} did not suffice ${before}${often}, and the engine went on: a failure of its own, which this verdict is not about`;
}

function saysRollOut(facts: Facts): string | undefined {
  const changed = knownValue(facts, 'revision.changed');
  if (typeof changed !== 'string' || changed === 'nothing') return undefined;
  const at = knownNumber(facts, 'revision.at');
  const failed = knownNumber(facts, 'gpu.oom-at') ?? knownNumber(facts, 'death.at');
  const lead = at === undefined || failed === undefined || failed < at ? undefined : (failed - at) / 1000;
  const when = lead === undefined ? '' : ` (${formatValue('duration', lead)} before the failure)`;
  return `The last roll-out${when} changed ${changed.replaceAll(' -> ', ' → ')}`;
}

const OF_LOAD: ReadonlySet<string> = new Set(['burst', 'chronic', 'prefix-cache', 'n/a']);

function isOfLoad({ plane, phase }: About): boolean {
  return plane !== 'none' && OF_LOAD.has(phase);
}

// Beside the step the sentence of the step says the same.
function saysLengths(facts: Facts, about: About): string | undefined {
  if (!isOfLoad(about) || knownValue(facts, 'step.against-usual') !== undefined) return undefined;
  const p99 = shownValue(facts, 'requests.prompt-p99', 'tokens');
  const output = shownValue(facts, 'requests.output-p95', 'tokens');
  const more = p99 === undefined ? '' : `, 99 % no longer than ${p99}`;
  const answers = output === undefined ? '' : `; 95 % of the answers no longer than ${output}`;
  return `95 % of the prompts before were no longer than ${shownValue(facts, 'requests.prompt-p95', 'tokens')}${more}${answers}`;
}

// Of two failures in sequence the counts are those of the second run. At start-up the phase says it; that a serving engine has served is news only where it was the first request.

// Of two lives the age of the other is that of neither on average.

// How often is known where the ages are not.
function saysRestarts(facts: Facts, { plane }: About): string | undefined {
  const restarts = knownNumber(facts, 'death.restarts') ?? 0;
  if (restarts < 2 || plane === 'none' || plane === 'both') return undefined;
  if (knownValue(facts, 'death.steady-age') !== undefined) return undefined;
  return `The container has restarted ${restarts} times in this pod; at which ages it died before is not known`;
}

// In a sequence of both memories it is one of the two.

function saysSiblings(facts: Facts, { plane }: About): string | undefined {
  const share = knownNumber(facts, 'pod.siblings-dead-share');
  if (share === undefined) return undefined;
  if (share === 0) return 'No other replica died in the 20 minutes before: it is this pod, its node or its requests';
  const killed = knownNumber(facts, 'pod.siblings-oom-killed');
  const how = killed === undefined || plane === 'host' ? '' : `; ${killed} of them OOMKilled, for want of RAM`;
  return `${formatValue('share', share)} of the other replicas died within 20 minutes${how}: it is not this pod alone`;
}
