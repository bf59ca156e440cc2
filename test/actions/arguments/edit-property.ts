import fc from 'fast-check';
import { expect } from 'vitest';
import { editArguments } from '../../../src/actions/arguments/edit-arguments.ts';
import { type Edited, REFUSALS } from '../../../src/actions/arguments/outcome.ts';
import { applyPatch } from '../../../src/model/json-patch.ts';
import { listSpecs, type Spec, scriptSpecs } from './generated-specs.ts';
import { askOracle, type OracleReading, type OracleWord } from './shell-oracle.ts';

export type Tally = {
  specs: number;
  literal: number;
  literalEdited: number;
  edited: number;
  reasons: Map<string, number>;
};

/** Edits generated containers, and holds every result against the independent parser. */
export function checkGeneratedSpecs(numRuns: number, seed: number): Tally {
  const tally: Tally = { specs: 0, literal: 0, literalEdited: 0, edited: 0, reasons: new Map() };
  fc.assert(
    fc.property(fc.oneof({ weight: 3, arbitrary: scriptSpecs }, { weight: 2, arbitrary: listSpecs }), (spec) => {
      checkSpec(spec, tally);
    }),
    { numRuns, seed },
  );
  return tally;
}

function checkSpec(spec: Spec, tally: Tally): void {
  const { container, flag, to, isLiteral } = spec;
  const outcome = editArguments({ engine: 'vllm', container, at: '', edits: [{ flag, to }] });
  const isSoAlready = outcome.kind === 'refused' && outcome.reason === 'nothing-to-change';
  tally.specs++;
  if (isLiteral && !isSoAlready) tally.literal++;
  if (outcome.kind === 'refused') {
    expect(REFUSALS).toContain(outcome.reason);
    expect(outcome.says).not.toBe('');
    const name = `${isLiteral ? 'literal' : 'other'}: ${outcome.reason}`;
    tally.reasons.set(name, (tally.reasons.get(name) ?? 0) + 1);
    return;
  }
  tally.edited++;
  if (isLiteral) tally.literalEdited++;
  const after = applyOrFail(container, outcome.patch);
  expect(JSON.stringify(applyOrFail(after, outcome.inverse))).toBe(JSON.stringify(container));
  checkWords(spec, after as Spec['container']);
}

function applyOrFail(value: unknown, patch: Edited['patch']): unknown {
  const outcome = applyPatch(value, patch);
  if (outcome.kind === 'failed') throw new Error(`operation ${outcome.at}: ${outcome.why}`);
  return outcome.value;
}

const SHORT: Readonly<Record<string, string>> = { '--tensor-parallel-size': '-tp', '--quantization': '-q' };

function checkWords({ container, flag, to }: Spec, after: Spec['container']): void {
  const [before, now] = [container, after].map((one) => [...(one.command ?? []), ...(one.args ?? [])]) as [
    string[],
    string[],
  ];
  const at = before.findIndex(
    (word) =>
      (/[\s;]/.test(word) && word.includes('vllm') && word.includes('serve')) ||
      word.includes('vllm.entrypoints.openai.api_server --'),
  );
  if (at === -1) {
    expect(now).toEqual(expectWords(before, { flag, to }));
    return;
  }
  expect(now.toSpliced(at, 1)).toEqual(before.toSpliced(at, 1));
  checkScript(before[at] ?? '', now[at] ?? '', { flag, to });
}

type Wanted = { readonly flag: string; readonly to: string };

// The rule, written a second time: the last occurrence gets the value in its own form, else one is appended.
function expectWords(words: readonly (string | null)[], wanted: Wanted): (string | null)[] {
  const at = lastOccurrence(words, wanted.flag);
  if (at === undefined) return [...words, `${wanted.flag}=${wanted.to}`];
  const word = words[at] ?? '';
  return word.includes('=') ? words.with(at, word.replace(/=.*$/s, `=${wanted.to}`)) : words.with(at + 1, wanted.to);
}

function lastOccurrence(words: readonly (string | null)[], flag: string): number | undefined {
  const spellings = [flag, `--${flag.slice(2).replaceAll('-', '_')}`, SHORT[flag] ?? flag];
  const at = words.findLastIndex((word) => spellings.includes((word ?? '').replace(/=.*$/s, '')));
  return at === -1 ? undefined : at;
}

function checkScript(before: string, after: string, wanted: Wanted): void {
  const [old, now] = [askOracle(before), askOracle(after)];
  if (old === undefined || now === undefined) throw new Error(`the oracle can not read:\n${after}`);
  const [oldCall, nowCall] = [engineCall(old), engineCall(now)];

  const values = oldCall.map(({ value, text }) => value ?? `computed ${text}`);
  expect(nowCall.map(({ value, text }) => value ?? `computed ${text}`)).toEqual(expectWords(values, wanted));
  // All other bytes of the script are the same: words of other commands, blanks, remarks.
  const changed = changedSpan(values, oldCall, wanted);
  expect(after.slice(0, changed.start)).toBe(before.slice(0, changed.start));
  expect(after.slice(after.length - (before.length - changed.end))).toBe(before.slice(changed.end));
  const texts = (words: readonly OracleWord[]) => words.map(({ text }) => text);
  expect(texts(now.words)).toEqual(texts(old.words));
  const others = ({ calls }: OracleReading, own: readonly OracleWord[]) =>
    calls.filter((call) => call !== own).map(texts);
  expect(others(now, nowCall)).toEqual(others(old, oldCall));
}

function changedSpan(
  values: readonly string[],
  call: readonly OracleWord[],
  { flag }: Wanted,
): { start: number; end: number } {
  const at = lastOccurrence(values, flag);
  const end = call.at(-1)?.end ?? 0;
  if (at === undefined) return { start: end, end };
  const word = call[values[at]?.includes('=') ? at : at + 1];
  return { start: word?.start ?? 0, end: word?.end ?? 0 };
}

function engineCall({ calls }: OracleReading): readonly OracleWord[] {
  const found = calls.filter((words) => {
    const at = words.findIndex(
      ({ value }) => value?.endsWith('vllm') === true || value === 'vllm.entrypoints.openai.api_server',
    );
    return at !== -1 && (words[at]?.value?.includes('entrypoints') === true || words[at + 1]?.value === 'serve');
  });
  if (found.length !== 1) throw new Error(`${found.length} engine commands`);
  return found[0] ?? [];
}
