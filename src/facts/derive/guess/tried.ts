import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import { allLines, citeLine } from '../../text/lines.ts';
import { citedNumber, fact, factOf, type Group } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { lastLine } from '../weigh/tail-lines.ts';
import { remarkLines } from './remark-lines.ts';

type Trial = ReturnType<typeof remarkLines>[number] & { readonly starts: boolean };

const STARTS = /\b(?:starts?|started|(?:comes|came) up|boots?|serves?|answers?|works?|runs?|ready|fine|ok)\b/i;
const FAILS =
  /\b(?:oom\w*|out of (?:gpu |device )?memory|fail\w*|crash\w*|dies|died|errors?|not|never|neither|nor|still|same (?:error|line|trace|failure))\b|n't\b/i;
/** Graphs switched off. */
export const EAGER = /\benforce[-_]eager\b|\bdisable[-_]cuda[-_]graph\b|\beager mode\b/i;
const FRACTION = /utili[sz]ation\b|\bmem(?:ory)?[-_ ]fraction|\bfraction\b|\bcache[-_]max[-_]entry[-_]count\b/i;
const SHARE = /(?<![\d.])0\.\d{1,3}(?![\d.])/g;

/**
 * What people tried that let the same engine start: without graphs, or with a lower fraction than one that failed. It is told
 * by remarks alone.
 */
export function deriveTried(evidence: Evidence, told: Readonly<Record<string, Fact | undefined>>): Group {
  const trials = remarkLines(evidence).flatMap(outcomes);
  const eager = withoutGraphs(trials);
  const lower = lowerFraction(trials, citedNumber(told['engine.utilization'])?.value);
  const last = lastLine(evidence.log.main);
  return {
    'log.tried':
      (eager && fact('eager', [eager.from])) ??
      (lower && fact('lower-fraction', [lower.from])) ??
      (last && known('nothing', last)),
    'log.noted-fraction': notedFraction(evidence),
  };
}

const NOTED =
  /\b(?:gpu[-_ ]memory[-_ ]utili[sz]ation|mem[-_ ]fraction[-_ ]static)\s?(?:of|at|to|=|:)?\s?(1(?:\.0+)?|0?\.\d{1,4})(?![\d.]*\d)/gi;

// Of several that differ nobody can tell which one failed.
function notedFraction(evidence: Evidence): Fact | undefined {
  const args = allLines(evidence.readings.texts.get('args.txt') ?? '').filter(({ raw }) => raw.startsWith('#'));
  const lines = [
    ...remarkLines(evidence),
    ...args.map((line) => ({ text: line.text, from: citeLine('args.txt', line) })),
  ];
  const noted = lines.flatMap(({ text, from }) =>
    [...text.matchAll(NOTED)].map(([, share]) => ({ value: Number(share), from })),
  );
  return new Set(noted.map(({ value }) => value)).size === 1 ? factOf(noted[0]) : undefined;
}

// What fails without graphs as well fails in another step.
function withoutGraphs(trials: readonly Trial[]): Trial | undefined {
  const without = trials.filter(({ text }) => EAGER.test(text));
  return without.every(({ starts }) => starts) ? without[0] : undefined;
}

// Whichever word comes first: `starts, OOM some minutes later` has started.
function outcomes({ text, from }: Omit<Trial, 'starts'>): readonly Trial[] {
  return text.split(/;\s/).flatMap((part) => {
    const [starts, fails] = [part.search(STARTS), part.search(FAILS)];
    if (starts < 0 && fails < 0) return [];
    return [{ text: part, from, starts: starts >= 0 && (fails < 0 || starts < fails) }];
  });
}

function lowerFraction(trials: readonly Trial[], fraction: number | undefined): Trial | undefined {
  const valued = trials.flatMap((trial) => sharesIn(trial.text).map((share) => ({ trial, share })));
  const isNamed = valued.some(({ trial, share }) => share === fraction || FRACTION.test(trial.text));
  const failed = valued.filter(({ trial }) => !trial.starts).map(({ share }) => share);
  if (!isNamed || failed.length === 0) return undefined;
  return valued.find(({ trial, share }) => trial.starts && share < Math.min(...failed))?.trial;
}

function sharesIn(text: string): readonly number[] {
  return [...text.matchAll(SHARE)].map(([share]) => Number(share));
}
