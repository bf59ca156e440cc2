import { isScalar } from 'yaml';
import { type ConfigMapping, readConfigText, readMapping, toSettingKey } from './config-text.ts';
import { dialectOf, toKey } from './engine-flags.ts';
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
type Step = { readonly edit: TextEdit | null; readonly change: ArgChange | null };

/** Changes settings in a YAML text in place, as `editArguments` does in a container: nothing else differs, remarks stay. Never throws. */
export function editConfig(input: ConfigInput): EditOutcome {
  const { text, section, edits, at } = input;
  const done = tryEdit(input);
  if (typeof done === 'string') {
    const lines = edits.flatMap((edit) =>
      edit.to === null ? [] : [`${toSettingKey(nameOf(input.engine, edit.flag))}: ${edit.to}`],
    );
    return refuse(done, null, lines.length === 0 ? null : { kind: 'text', text: lines.join('\n') });
  }
  if (done.text === text) return refuse('nothing-to-change', null, null);
  if (!isAsIntended(text, done.text, section, done.changed)) return refuse('check-failed', null, null);
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

function tryEdit({
  text,
  section,
  edits,
  engine,
}: ConfigInput): { text: string; changed: ArgChange[] } | RefusalReason {
  const mapping = readMapping(text, section);
  if (mapping === undefined) return 'file-form';
  const names = edits.map(({ flag }) => toKey(nameOf(engine, flag)));
  if (new Set(names).size < names.length) return 'conflicting-edits';
  const steps: Step[] = [];
  for (const edit of edits) {
    if (!(edit.to === null || /^[\w@%+./-]+$/.test(edit.to))) return 'unfit-value';
    const step = planStep(text, mapping, { ...edit, flag: nameOf(engine, edit.flag) });
    if (typeof step === 'string') return step;
    steps.push(step);
  }
  const ordered = steps.flatMap(({ edit }) => edit ?? []).sort((a, b) => b.start - a.start || b.end - a.end);
  return {
    text: ordered.reduce((out, edit) => out.slice(0, edit.start) + edit.text + out.slice(edit.end), text),
    changed: steps.flatMap(({ change }) => change ?? []),
  };
}

function nameOf(engine: string, flag: string): string {
  return dialectOf(engine)?.find(flag)?.name ?? flag;
}

function planStep(text: string, mapping: ConfigMapping, { flag, to }: ArgEdit): Step | RefusalReason {
  const found = mapping.find(flag);
  const none: Step = { edit: null, change: null };
  if (found.kind === 'odd') return 'file-form';
  if (found.kind === 'none') return to === null ? none : planAdd(text, mapping, { flag, to });
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
function planAdd(text: string, { map }: ConfigMapping, { flag, to }: ArgEdit): Step | RefusalReason {
  const first = map.items[0]?.key;
  const at = isScalar(first) ? first.range?.[0] : undefined;
  if (map.flow === true || at === undefined) return 'file-form';
  const { start } = lineOf(text, at);
  const indent = text.slice(start, at);
  if (!/^ *$/.test(indent)) return 'file-form';
  return {
    change: { flag, from: null, to, where: 'ConfigMap' },
    edit: { start, end: start, text: `${indent}${toSettingKey(flag)}: ${to}\n` },
  };
}

// Read again: the settings asked for hold what was asked for, all others and the other lines what they held.
function isAsIntended(before: string, after: string, section: string | null, changed: readonly ArgChange[]): boolean {
  const old = readConfigText(before, section);
  const now = readConfigText(after, section);
  if (old === undefined || now === undefined) return false;
  const expected = new Map(old);
  for (const { flag, to } of changed) {
    if (to === null) expected.delete(toSettingKey(flag));
    else expected.set(toSettingKey(flag), to);
  }
  const isSame = expected.size === now.size && [...expected].every(([key, value]) => now.get(key) === value);
  const outside = (text: string) => readConfigText(text, null);
  const others = [...(outside(before) ?? [])].filter(([key]) => section !== null && key !== section);
  return isSame && others.every(([key, value]) => outside(after)?.get(key) === value);
}
