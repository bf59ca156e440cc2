import { type Citation, placeOf } from '../../model/citation.ts';
import type { Facts } from '../../model/fact.ts';
import type { Verdict } from '../../model/verdict.ts';
import { cite, needsWords } from '../words/citations.ts';
import { knownValue } from '../words/report-input.ts';
import { clip } from '../words/sentence.ts';

const LINE = 120;
const LINES = 2;

/** The one or two lines that prove most, each with its place. */
export function evidenceLines({ evidence }: Pick<Verdict, 'evidence'>, facts: Facts): string[] {
  const place = (at: number) =>
    evidence.flatMap(({ from, says, fact }) =>
      from.slice(at, at + 1).map((one) => ({ one, says, weight: weightOf(one, fact, facts) })),
    );
  // The second line of a proof tells more where nothing else does: `Evicted`, and then for what.
  const lines = new Map<string, string>();
  for (const { one, says } of [...place(0), ...place(1)].toSorted((a, b) => b.weight - a.weight)) {
    if (lines.size < LINES && !lines.has(placeOf(one))) lines.set(placeOf(one), lineOf(one, says));
  }
  return [...lines.values()];
}

function lineOf(one: Citation, says: string): string {
  const words = needsWords(one) ? ` (${says})` : '';
  if (one.kind === 'field' && one.more === undefined && !/\/\d+$/.test(one.path))
    return clip(`${fieldOf(one)}${words}`, LINE);
  const place = placeOf(one);
  const short = one.kind === 'line' ? { ...one, text: essenceOf(one.text), more: undefined } : one;
  return clip(`${cite(short, LINE - place.length - 1).replace('  ', ' ')}${words}`, LINE);
}

// `pod.json lastState.terminated.reason=OOMKilled`, as kubectl prints it.
function fieldOf({ file, path, text }: Extract<Citation, { kind: 'field' }>): string {
  const names = path.split('/').filter((name) => name !== '' && !/^\d+$/.test(name));
  const value = text.replace(/^"(.*)"$/s, '$1');
  return `${file} ${names.slice(-3).join('.').replaceAll('~1', '/')}=${value}`;
}

// What loggers write in front: process, level, time, source.
const PREFIX =
  /^(?:\([^()]{1,40}\) |\[[^\]]{1,60}\] ?|(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|CRITICAL|FATAL):? |[\d./:,TZ+-]{8,40} |\d\d-\d\d |[\d:.]{5,15} )+/;
const WANTED = /Tried to allocate [\d.]+ \w+/;
const FREE = /[\d.]+ \w+ (?:is )?free/;

/** The part of a log line that proves: without what loggers put in front, and of an account of PyTorch what was wanted and what was free. */
function essenceOf(text: string): string {
  const bare = text.replace(PREFIX, '');
  const [wanted, free] = [WANTED.exec(bare), FREE.exec(bare)];
  if (wanted === null || free === null || free.index < wanted.index) return bare === '' ? text : bare;
  const name = /^[\w.]*Error: /.exec(bare)?.[0] ?? '';
  return `${name}${wanted[0]} … ${free[0]}`;
}

// What is so proves more than what is not, and what the machine said more than what somebody wrote down about the incident.
function weightOf({ file }: Citation, fact: string, facts: Facts): number {
  if (file === 'incident.json') return 0;
  return knownValue(facts, fact) === false ? 1 : 2;
}
