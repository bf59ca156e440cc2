import { expect } from 'vitest';
import type { Spec } from './generated-specs.ts';
import type { Step } from './generated-words.ts';
import { askOracle, type OracleReading, type OracleWord } from './shell-oracle.ts';

type Wanted = Pick<Spec, 'steps' | 'from' | 'script' | 'isComputed'>;

/** Holds command and arguments after an edit against what was intended: of a list the items, of a script what the shell parser reads. */
export function checkWords(
  before: Spec['container'],
  after: Spec['container'],
  { steps, from, script, isComputed }: Wanted,
): void {
  expect(isComputed).toBe(false);
  const [old, now] = [before, after].map(({ command = [], args = [] }) => [...command, ...args]) as [
    string[],
    string[],
  ];
  if (script === null) {
    expect(now).toEqual(apply(old, steps, from));
    // What is added stands at the end; where the lists part is what it was.
    expect((after.command ?? []).slice(0, from)).toEqual((before.command ?? []).slice(0, from));
    return;
  }
  expect(now.toSpliced(script, 1)).toEqual(old.toSpliced(script, 1));
  checkScript(old[script] ?? '', now[script] ?? '', { steps, from });
}

function apply(words: readonly string[], steps: readonly Step[], from: number): string[] {
  const changed = words.flatMap((word, i) => {
    const step = steps.find((one) => one.kind !== 'add' && one.at + from === i);
    return step === undefined ? [word] : step.kind === 'set' ? [step.word] : [];
  });
  return [...changed, ...steps.flatMap((step) => (step.kind === 'add' ? step.words : []))];
}

/** The words of the engine of a script are the intended ones, and all other bytes what they were. */
function checkScript(before: string, after: string, { steps, from }: Pick<Wanted, 'steps' | 'from'>): void {
  const [old, now] = [askOracle(before), askOracle(after)];
  if (old === undefined || now === undefined) throw new Error(`the oracle cannot read:\n${after}`);
  const [oldCall, nowCall] = [engineCall(old), engineCall(now)];
  const values = (call: readonly OracleWord[]) => call.map(({ value, text }) => value ?? `computed ${text}`);

  expect(values(nowCall)).toEqual(apply(values(oldCall), steps, from));
  // All other bytes of the script are the same: words of other commands, blanks, remarks.
  expect(blankOut(after, nowCall, markAfter(oldCall, steps, from))).toBe(
    blankOut(before, oldCall, markBefore(oldCall, steps, from)),
  );
  const texts = (words: readonly OracleWord[]) => words.map(({ text }) => text);
  expect(texts(now.words)).toEqual(texts(old.words));
  const others = ({ calls }: OracleReading, own: readonly OracleWord[]) =>
    calls.filter((call) => call !== own).map(texts);
  expect(others(now, nowCall)).toEqual(others(old, oldCall));
}

type Mark = 'same' | 'set' | 'gone';

function markBefore(call: readonly OracleWord[], steps: readonly Step[], from: number): Mark[] {
  return call.map((_, i) => {
    const step = steps.find((one) => one.kind !== 'add' && one.at + from === i);
    return step === undefined ? 'same' : step.kind === 'set' ? 'set' : 'gone';
  });
}

function markAfter(call: readonly OracleWord[], steps: readonly Step[], from: number): Mark[] {
  const added = steps.flatMap((step) => (step.kind === 'add' ? step.words : []));
  return [...markBefore(call, steps, from).filter((mark) => mark !== 'gone'), ...added.map((): Mark => 'gone')];
}

// The text without the words that come or go, each with the gap before it, and with a mark for those that are set.
function blankOut(text: string, call: readonly OracleWord[], marks: readonly Mark[]): string {
  let out = '';
  let at = 0;
  for (const [i, { start, end }] of call.entries()) {
    const mark = marks[i];
    if (mark === 'set') out += `${text.slice(at, start)}⟦set⟧`;
    else if (mark === 'same') out += text.slice(at, end);
    at = end;
  }
  return out + text.slice(at);
}

function engineCall({ calls }: OracleReading): readonly OracleWord[] {
  const found = calls.filter((words) => {
    const at = words.findIndex(({ value }) => /(?:^|\/)(?:vllm|llama-server)$|^vllm\.entrypoints/.test(value ?? ''));
    return at !== -1 && (words[at]?.value !== 'vllm' || words[at + 1]?.value === 'serve');
  });
  if (found.length !== 1) throw new Error(`${found.length} engine commands`);
  return found[0] ?? [];
}
