import { isScalar } from 'yaml';
import { type ConfigMapping, type Setting, toSettingKey } from './config-text.ts';
import type { ArgChange, ArgEdit, RefusalReason } from './edit-outcome.ts';
import { type Dialect, findNegated, type KnownFlag } from './engine-flags.ts';

type TextEdit = { readonly start: number; readonly end: number; readonly text: string };

/** What one edit changes of a text, and what its settings then hold; a value of null is one that is gone. */
export type ConfigStep = {
  readonly edits: readonly TextEdit[];
  readonly change: ArgChange | null;
  readonly expects: readonly (readonly [key: string, value: string | null])[];
};

type ConfigFile = {
  readonly text: string;
  readonly mapping: ConfigMapping;
  readonly dialect: Dialect | undefined;
  /**
   * Whether every key goes to the engine as a flag with its value behind it, whatever that is: KAITO's inference_api.py
   * (v0.12.0) does so, and with a switch `x: false` is `--x False`, which turns it on.
   */
  readonly isHandedOn: boolean;
};

// The engines read YAML 1.1: an octal number, a yes, a no, nothing.
const READ_OTHERWISE = /^(?:[-+]?0[\d_]+|y|n|yes|no|on|off|true|false|null)$/i;

const NOTHING: ConfigStep = { edits: [], change: null, expects: [] };

/** What has to change in a YAML text for one edit, or why that is not certain. */
export function planSetting(file: ConfigFile, edit: ArgEdit): ConfigStep | RefusalReason {
  const known = file.dialect?.find(edit.flag) ?? findNegated(file.dialect, edit.flag);
  if (known?.kind === 'switch' || known?.kind === 'negatable') return planSwitch(file, known, edit);
  const { flag, to } = edit;
  if (to !== null && READ_OTHERWISE.test(to)) return 'unfit-value';
  const found = file.mapping.find(flag);
  if (found.kind === 'odd') return 'file-form';
  if (found.kind === 'none') return to === null ? NOTHING : planAdd(file, edit, [toSettingKey(flag, file.dialect), to]);
  if (to === null) return planRemoval(file, found.setting, edit);
  const [token] = tokenOf(file, found.setting);
  if (token === undefined) return 'file-form';
  if (token.value === to) return NOTHING;
  const change = { flag, from: token.value, to, where: 'ConfigMap' };
  return { change, edits: [withValue(token, to)], expects: [[found.setting.key, to]] };
}

type There = { readonly setting: Setting | undefined; readonly isOff: boolean };

// Under its own name, or under the one that turns it off.
function findSwitch({ mapping }: ConfigFile, { name, kind }: KnownFlag): There | RefusalReason {
  const [yes, no] = [mapping.find(name), mapping.find(name.replace('--', '--no-'))];
  if (yes.kind === 'odd' || no.kind === 'odd') return 'file-form';
  // Which of the two holds would be left to their order; and a plain switch has no second name.
  if (no.kind !== 'none' && (yes.kind !== 'none' || kind === 'switch')) return 'odd-form';
  const found = yes.kind === 'setting' ? yes : no;
  return { setting: found.kind === 'setting' ? found.setting : undefined, isOff: no.kind === 'setting' };
}

// `no-x: true` is how every release turns `x` off; `x: false` older ones of vLLM leave out.
function planSwitch(file: ConfigFile, known: KnownFlag, edit: ArgEdit): ConfigStep | RefusalReason {
  const { flag, to } = edit;
  const there = findSwitch(file, known);
  if (typeof there === 'string') return there;
  const isNegated = findNegated(file.dialect, flag) !== undefined;
  if (to === null) {
    const { setting, isOff } = there;
    return setting === undefined || (isNegated && !isOff) ? NOTHING : planRemoval(file, setting, edit);
  }
  if (to !== 'true' && to !== 'false') return 'unfit-value';
  const isWanted = (to === 'true') !== isNegated;
  if (there.setting === undefined) return planNewSwitch(file, known, { edit, isWanted });
  return turn(file, { ...there, setting: there.setting, known }, { edit, isWanted });
}

type Wish = { readonly edit: ArgEdit; readonly isWanted: boolean };

function planNewSwitch(file: ConfigFile, known: KnownFlag, { edit, isWanted }: Wish): ConfigStep | RefusalReason {
  if (known.kind === 'switch' && !isWanted) return NOTHING;
  // The value that is handed on with it is a word of its own, which not every release takes.
  if (file.isHandedOn) return 'switch-in-file';
  const key = toSettingKey(known.name, file.dialect);
  return planAdd(file, edit, [isWanted ? key : `no-${key}`, 'true']);
}

type Found = { readonly setting: Setting; readonly isOff: boolean; readonly known: KnownFlag };

function turn(
  file: ConfigFile,
  { setting, isOff, known }: Found,
  { edit, isWanted }: Wish,
): ConfigStep | RefusalReason {
  const [token] = tokenOf(file, setting);
  const isTrue = token === undefined ? undefined : SWITCH_WORDS.get(token.value.toLowerCase());
  if (token === undefined || isTrue === undefined) return 'file-form';
  const isOn = (file.isHandedOn || isTrue) !== isOff;
  if (known.kind === 'switch' && !isWanted && file.isHandedOn) return planRemoval(file, setting, edit);
  const isPlain = known.kind === 'switch';
  const isRenamed = !isPlain && isOff === isWanted;
  const value = isPlain && !isWanted ? 'false' : 'true';
  const edits = [
    ...(isRenamed ? [renamed(file, setting, isOff)] : []),
    ...(isTrue === (value === 'true') ? [] : [withValue(token, value)]),
  ];
  if (edits.length === 0) return NOTHING;
  const last = isTrue === (value === 'true') ? token.value : value;
  const other = isOff ? setting.key.replace(/^no-/, '') : `no-${setting.key}`;
  const change = { flag: edit.flag, from: said(isOn, edit.flag, file), to: edit.to, where: 'ConfigMap' };
  return {
    change,
    edits,
    expects: isRenamed
      ? [
          [setting.key, null],
          [other, last],
        ]
      : [[setting.key, last]],
  };
}

/** The line that a person may put in; none for what is to be taken out. */
export function sayLine(dialect: Dialect | undefined, { flag, to }: ArgEdit): string[] {
  const known = dialect?.find(flag) ?? findNegated(dialect, flag);
  const key = toSettingKey(known?.name ?? flag, dialect);
  if (to === null) return [];
  if (known?.kind !== 'switch' && known?.kind !== 'negatable') return [`${key}: ${to}`];
  const isWanted = (to === 'true') !== (findNegated(dialect, flag) !== undefined);
  if (isWanted) return [`${key}: true`];
  return known.kind === 'negatable' ? [`no-${key}: true`] : [];
}

// What YAML 1.1, which the engines read, takes for a yes or a no.
const SWITCH_WORDS: ReadonlyMap<string, boolean> = new Map(
  Object.entries({ true: true, yes: true, on: true, false: false, no: false, off: false }),
);

function said(isOn: boolean, flag: string, { dialect }: ConfigFile): string {
  return String(isOn !== (findNegated(dialect, flag) !== undefined));
}

type Token = TextEdit & { readonly value: string };

/** The text of a setting's value; none where it stands on several lines. */
function tokenOf({ text }: ConfigFile, { value }: Setting): Token[] {
  const [start = 0, end = 0] = value.range ?? [];
  const source = text.slice(start, end);
  return source.includes('\n') ? [] : [{ start, end, text: source, value: value.source ?? source }];
}

function withValue({ start, end, text }: Token, to: string): TextEdit {
  const quote = /^["']/.exec(text)?.[0] ?? '';
  return { start, end, text: quote + to + quote };
}

// Inside of the quotes that a key may stand in.
function renamed({ text }: ConfigFile, { pair }: Setting, isOff: boolean): TextEdit {
  const [from = 0] = (isScalar(pair.key) && pair.key.range) || [];
  const start = /["']/.test(text.charAt(from)) ? from + 1 : from;
  return isOff ? { start, end: start + 'no-'.length, text: '' } : { start, end: start, text: 'no-' };
}

function planRemoval(file: ConfigFile, setting: Setting, { flag, to }: ArgEdit): ConfigStep | RefusalReason {
  const [token] = tokenOf(file, setting);
  if (token === undefined) return 'file-form';
  const line = lineOf(file.text, token.start);
  const isOwnLine = /^[ ]*["']?[\w.-]+["']?[ ]*:[ ]*$/.test(file.text.slice(line.start, token.start));
  if (!isOwnLine || file.mapping.map.items.length <= 1) return 'file-form';
  const change = { flag, from: token.value, to, where: 'ConfigMap' };
  return { change, edits: [{ ...line, text: '' }], expects: [[setting.key, null]] };
}

function lineOf(text: string, at: number): { start: number; end: number } {
  const newline = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at - 1) + 1, end: newline === -1 ? text.length : newline + 1 };
}

// A new line before the first key of the map, indented like it.
function planAdd(file: ConfigFile, { flag, to }: ArgEdit, [key, value]: [string, string]): ConfigStep | RefusalReason {
  const { text, mapping } = file;
  const first = mapping.map.items[0]?.key;
  const at = isScalar(first) ? first.range?.[0] : undefined;
  if (mapping.map.flow === true || at === undefined) return 'file-form';
  const { start } = lineOf(text, at);
  const indent = text.slice(start, at);
  if (!/^ *$/.test(indent)) return 'file-form';
  return {
    change: { flag, from: null, to, where: 'ConfigMap' },
    edits: [{ start, end: start, text: `${indent}${key}: ${value}\n` }],
    expects: [[key, value]],
  };
}
