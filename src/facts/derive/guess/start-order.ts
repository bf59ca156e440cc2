import { anyOf } from '../../text/patterns.ts';
import { clausesOf, isTried } from './levers/clauses.ts';
import { outcomesIn } from './levers/outcomes.ts';
import { says } from './no-memory/speech.ts';
import type { Account, Told } from './told/account.ts';

const TOGETHER =
  /\b(?:at once|at the same (?:time|second|moment)|simultaneous(?:ly)?|concurrent(?:ly)?|in parallel|(?:both|two|start\w*|launch\w*) together)\b/i;
const IN_TURN = anyOf(
  'i',
  /\b(?:sequential(?:ly)?|in (?:sequence|turn)|one (?:after (?:the other|another)|by one|at a time)|staggered)\b/,
  /\b(?:after|once|when) (?:the )?(?:other|first)(?: (?:one|engine|instance|server))? (?:is|was) (?:up|ready)\b/,
);
// Of the work of one engine, and of its own parts.
const OF_ONE = /\b(?:requests?|prompts?|users?|clients?|calls?|ranks?|workers?|shards?|files?)\b/i;
// Less than nothing is what an engine has left that counts the other's memory as its own.
const FAILED = /\b\w{0,40}Error\b|(?<![\w.)-])[-−]\d{1,3}(?:\.\d{1,2})? ?Gi?B\b/;

/**
 * Where notes compare two orders of starting: at once it failed, in turn it did not. Engines that start at the same time on one
 * card charge each other, although either alone fits (facts/budget.md, section 2).
 */
export function startedTogether({ prose, rows }: Account): Told | undefined {
  const told = [...prose.flatMap(inClauses), ...rows.filter(({ from }) => from.file === 'metrics.txt')].filter(
    ({ text }) => !OF_ONE.test(text),
  );
  const inTurn = told.some(({ text }) => says(text, IN_TURN) && !wentBadly(text));
  return inTurn ? told.find(({ text }) => says(text, TOGETHER) && wentBadly(text)) : undefined;
}

function inClauses({ text, from }: Told): readonly Told[] {
  return clausesOf(text)
    .filter(isTried)
    .map((clause) => ({ text: clause.text, from }));
}

function wentBadly(text: string): boolean {
  return FAILED.test(text) || outcomesIn(text).some(({ went }) => went === 'badly');
}
