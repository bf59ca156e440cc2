import { type Block, bold } from '../../model/message.ts';
import type { CheckResult } from '../../model/plan.ts';
import { clip, list, type Words } from './sentence.ts';

// What is looked at, and how it reads where it passed.
const NAMES: Readonly<Record<string, readonly [name: string, passed: string]>> = {
  rollout: ['rollout', 'rollout complete'],
  restarts: ['restarts', 'no restarts'],
  'oom-signature': ['OOM in the log', 'no OOM'],
  ram: ['RAM', 'RAM'],
  'gpu-memory': ['free GPU memory', 'free GPU memory'],
  'kv-cache': ['KV cache', 'KV cache'],
  preemptions: ['preemptions', 'no preemptions'],
  queue: ['queue', 'queue'],
  ttft: ['TTFT P99', 'TTFT P99'],
  latency: ['latency P99', 'latency P99'],
  'short-requests': ['short requests', 'short requests'],
  probe: ['engine probe', 'engine answers'],
  replay: ['replay', 'replay'],
};

/** The name of a check, in a sentence. */
export function checkName(check: string): string {
  return NAMES[check]?.[0] ?? check;
}

const FIGURE = /^(?:more than )?\d[\d.,]*\s?(?:%|ms|s\b)/;

function passedWords({ check, says }: CheckResult): string {
  const name = NAMES[check]?.[1] ?? check;
  const figure = FIGURE.exec(says)?.[0];
  return figure === undefined ? name : `${name} ${figure}`;
}

const of = (checks: readonly CheckResult[], answer: CheckResult['answer']) =>
  checks.filter((one) => one.answer === answer);

const MOST_FAILED = 2;

/** All checks in one line: failed, passed, no data. A reason that several share is told once, and none that `told` holds. */
export function checksLine(checks: readonly CheckResult[], told = ''): Words {
  if (checks.length === 0) return [];
  const [passed, failed, unknown] = [of(checks, 'yes'), of(checks, 'no'), of(checks, 'could-not-tell')];
  const shown = failed
    .slice(0, MOST_FAILED)
    .map(({ check, says }) => (told.includes(says) ? checkName(check) : `${checkName(check)}: ${clip(says, 80)}`));
  const more = failed.length > MOST_FAILED ? ['more in the thread'] : [];
  if (told.length > LONG) return [bold('Checks: '), countWords(failed, passed, unknown), ' (details in the thread)'];
  const groups = [
    ...(failed.length === 0 ? [] : [`${failed.length} failed (${[...shown, ...more].join('; ')})`]),
    ...(passed.length === 0 ? [] : [`${passed.length} passed (${passed.map(passedWords).join(', ')})`]),
    ...(unknown.length === 0 ? [] : [`${unknown.length} no data (${noDataWords(unknown)})`]),
  ];
  return [bold('Checks: '), groups.join(' · ')];
}

// Next to a long reason the counts are enough.
const LONG = 150;

function countWords(...[failed, passed, unknown]: (readonly CheckResult[])[]): string {
  const counts = [
    [failed, 'failed'],
    [passed, 'passed'],
    [unknown, 'no data'],
  ] as const;
  return counts.flatMap(([all = [], word]) => (all.length === 0 ? [] : [`${all.length} ${word}`])).join(' · ');
}

function noDataWords(unknown: readonly CheckResult[]): string {
  const [first, ...rest] = byReason(unknown);
  if (first === undefined) return '';
  const others = rest.flatMap(({ names }) => names);
  const all = [`${first.names.join(', ')}: ${clip(shortWhy(first.why), 75)}`];
  return [...all, ...(others.length === 0 ? [] : [`${others.join(', ')}: reasons in the thread`])].join('; ');
}

// The first of several sources; the thread has all of them.
function shortWhy(why: string): string {
  return why
    .replace(/^metrics: /, '')
    .split('; ', 1)
    .join('');
}

// The reason that most share comes first.
function byReason(unknown: readonly CheckResult[]): { names: string[]; why: string }[] {
  const groups = [...Map.groupBy(unknown, ({ says }) => says)];
  return groups
    .toSorted(([, a], [, b]) => b.length - a.length)
    .map(([why, all]) => ({ why, names: all.map(({ check }) => checkName(check)) }));
}

/** Every check with its figure, for the thread. */
export function checkLists(checks: readonly CheckResult[]): Block[] {
  const lines = (answer: CheckResult['answer']): Words[] =>
    of(checks, answer).map(({ check, says }) => [bold(checkName(check)), `: ${clip(says, 300)}`]);
  const unknown = byReason(of(checks, 'could-not-tell'));
  return [
    ...list('Checks failed', lines('no')),
    ...list('Checks passed', lines('yes')),
    ...list(
      'No data',
      unknown.map(({ names, why }) => [bold(names.join(', ')), `: ${clip(why, 300)}`]),
    ),
  ];
}
