import { isScalar } from 'yaml';
import { type ConfigMapping, readConfigText, readMapping, toSettingKey } from './config-text.ts';
import { type Dialect, dialectOf, findNegated } from './engine-flags.ts';
import type { ArgChange, ArgEdit, EditOutcome, RefusalReason } from './outcome.ts';
import { refuse } from './refuse.ts';

export type ConfigInput = {
  readonly engine: string;
  /** The YAML text as it stands in the ConfigMap. */
  readonly text: string;
  /** JSON pointer of the text in its object: `/data/inference_config.yaml`. */
  readonly at: string;
  /** The key of the map that holds the flags (`vllm` with KAITO); null where they stand at the top. */
  readonly section: string | null;
  readonly edits: readonly ArgEdit[];
};

type TextEdit = { readonly start: number; readonly end: number; readonly text: string };
type Rewritten = { readonly text: string; readonly changed: readonly ArgChange[] };
type Step = { readonly edit: TextEdit | null; readonly change: ArgChange | null };

/** Changes settings in a YAML text in place, as `editArguments` does in a container: nothing else differs, remarks stay. Never throws. */
export function editConfig(input: ConfigInput): EditOutcome {
  const { text, edits, at } = input;
  const done = tryEdit(input);
  if (typeof done === 'string') {
    const dialect = dialectOf(input.engine);
    const lines = edits.flatMap(({ flag, to }) => (to === null ? [] : [`${toSettingKey(flag, dialect)}: ${to}`]));
    return refuse(done, null, lines.length === 0 ? null : { kind: 'text', text: lines.join('\n') });
  }
  if (done.text === text) return refuse('nothing-to-change', null, null);
  if (!isAsIntended(input, done)) return refuse('check-failed', null, null);
  return {
    kind: 'edited',
    patch: [
      { op: 'test', path: at, value: text },
      { op: 'replace', path: at, value: done.text },
    ],
    inverse: [
      { op: 'test', path: at, value: done.text },
      { op: 'replace', path: at, value: text },
    ],
    changed: done.changed,
  };
}

function tryEdit({ text, section, edits, engine }: ConfigInput): Rewritten | RefusalReason {
  const dialect = dialectOf(engine);
  const mapping = readMapping(text, section, dialect);
  if (mapping === undefined) return 'file-form';
  const keys = edits.map(({ flag }) => toSettingKey(findNegated(dialect, flag)?.name ?? flag, dialect));
  if (new Set(keys).size < keys.length) return 'conflicting-edits';
  const steps: Step[] = [];
  for (const edit of edits) {
    if (!(edit.to === null || /^[\w@%+./-]+$/.test(edit.to))) return 'unfit-value';
    const step = planStep({ text, mapping, dialect }, edit);
    if (typeof step === 'string') return step;
    steps.push(step);
  }
  const ordered = steps.flatMap(({ edit }) => edit ?? []).sort((a, b) => b.start - a.start || b.end - a.end);
  return {
    text: ordered.reduce((out, edit) => out.slice(0, edit.start) + edit.text + out.slice(edit.end), text),
    changed: steps.flatMap(({ change }) => change ?? []),
  };
}

type File = { readonly text: string; readonly mapping: ConfigMapping; readonly dialect: Dialect | undefined };

function planStep(file: File, { flag, to }: ArgEdit): Step | RefusalReason {
  const { text, mapping, dialect } = file;
  const negated = findNegated(dialect, flag);
  // `no-x: true` beside `x: true` would leave to their order which of them holds.
  if (negated !== undefined && mapping.find(negated.name).kind !== 'none') return 'odd-form';
  const found = mapping.find(flag);
  const none: Step = { edit: null, change: null };
  if (found.kind === 'odd') return 'file-form';
  if (found.kind === 'none') return to === null ? none : planAdd(file, { flag, to });
  const { value } = found.setting;
  const [start = 0, end = 0] = value.range ?? [];
  const source = text.slice(start, end);
  const from = value.source ?? source;
  if (from === to) return none;
  const change = { flag, from, to, where: 'ConfigMap' };
  if (source.includes('\n')) return 'file-form';
  if (to !== null) return { change, edit: { start, end, text: inSameQuotes(source, to) } };
  const line = lineOf(text, start);
  const isOwnLine = /^[ ]*["']?[\w.-]+["']?[ ]*:[ ]*$/.test(text.slice(line.start, start));
  return isOwnLine && mapping.map.items.length > 1 ? { change, edit: { ...line, text: '' } } : 'file-form';
}

function inSameQuotes(source: string, to: string): string {
  const quote = /^["']/.exec(source)?.[0] ?? '';
  return quote + to + quote;
}

function lineOf(text: string, at: number): { start: number; end: number } {
  const newline = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at - 1) + 1, end: newline === -1 ? text.length : newline + 1 };
}

// A new line before the first key of the map, indented like it.
function planAdd({ text, mapping: { map }, dialect }: File, { flag, to }: ArgEdit): Step | RefusalReason {
  const first = map.items[0]?.key;
  const at = isScalar(first) ? first.range?.[0] : undefined;
  if (map.flow === true || at === undefined) return 'file-form';
  const { start } = lineOf(text, at);
  const indent = text.slice(start, at);
  if (!/^ *$/.test(indent)) return 'file-form';
  return {
    change: { flag, from: null, to, where: 'ConfigMap' },
    edit: { start, end: start, text: `${indent}${toSettingKey(flag, dialect)}: ${to}\n` },
  };
}

// Read again: the settings asked for hold what was asked for, all others and the other lines what they held.
function isAsIntended({ text, section, engine }: ConfigInput, done: Rewritten): boolean {
  const dialect = dialectOf(engine);
  const [old, now] = [text, done.text].map((one) => readConfigText(one, section, dialect));
  if (old === undefined || now === undefined) return false;
  const expected = new Map(old);
  for (const { flag, to } of done.changed) {
    if (to === null) expected.delete(toSettingKey(flag, dialect));
    else expected.set(toSettingKey(flag, dialect), to);
  }
  const isSame = expected.size === now.size && [...expected].every(([key, value]) => now.get(key) === value);
  if (section === null) return isSame;
  const [before, after] = [text, done.text].map((one) => readConfigText(one, null));
  return isSame && [...(before ?? [])].every(([key, value]) => key === section || after?.get(key) === value);
}
