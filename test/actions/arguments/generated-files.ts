import fc from 'fast-check';
import { expect } from 'vitest';
import { parse } from 'yaml';

/** A configuration file as people keep it in a ConfigMap, one edit, and what the file then has to be, byte for byte. */
export type FileSpec = {
  readonly text: string;
  /** The key of the map that holds the flags, as with KAITO; null where they stand at the top. */
  readonly section: 'vllm' | null;
  readonly flag: string;
  readonly to: string | null;
  /** Undefined where the editor has to leave it to a person, for `reason`. */
  readonly after: string | undefined;
  readonly reason: string | undefined;
  /** The settings of the map that differ, with what they are then; null where one is gone. */
  readonly differ: Readonly<Record<string, unknown>>;
  readonly isLiteral: boolean;
};

const VALUED: Readonly<Record<string, readonly string[]>> = {
  'max-model-len': ['8192', '32768', 'auto'],
  'gpu-memory-utilization': ['0.95', '.9'],
  'max-num-seqs': ['256', '64'],
  'tensor-parallel-size': ['2'],
  quantization: ['awq', 'fp8'],
  'swap-space': ['0', '4'],
};
const OTHERS = [
  'seed: 1',
  'dtype: half # measured',
  'served-model-name: "chat # not a remark"',
  "download-dir: '/data'",
  'limit-mm-per-prompt: {image: 2}',
  '# gpu-memory-utilization: 1',
  'allowed-origins:\n{i}  - a\n{i}  - b',
  'trust-remote-code: true',
  '',
] as const;

/** How the setting is written; the odd ones no editor can be sure of. */
type Style = 'plain' | 'double' | 'single' | 'anchor' | 'block' | 'twice' | 'list' | 'empty';
type Drawn = {
  readonly section: 'vllm' | null;
  readonly key: string;
  readonly value: string;
  readonly style: Style;
  readonly joint: string;
  readonly quotedKey: boolean;
  readonly remark: string;
  readonly others: readonly string[];
  readonly at: number;
  readonly around: readonly [string, string];
  readonly indent: string;
};

const ODD: readonly Style[] = ['anchor', 'block', 'twice', 'list', 'empty'];

const drawn = (values: Readonly<Record<string, readonly string[]>>): fc.Arbitrary<Drawn> =>
  fc
    .record({
      section: fc.constantFrom<'vllm' | null>('vllm', null),
      of: fc
        .constantFrom(...Object.keys(values))
        .chain((key) => fc.tuple(fc.constant(key), fc.constantFrom(...(values[key] ?? [])))),
      spelt: fc.constantFrom('dashes', 'dashes', 'underscores'),
      style: fc.oneof(
        { weight: 30, arbitrary: fc.constantFrom<Style>('plain', 'plain', 'double', 'single') },
        { weight: 1, arbitrary: fc.constantFrom<Style>(...ODD) },
      ),
      joint: fc.constantFrom(': ', ': ', ':   ', ' : '),
      quotedKey: fc.constantFrom(false, false, false, true),
      remark: fc.constantFrom('', '', ' # why', '   # it: "fits"'),
      others: fc
        .shuffledSubarray([...OTHERS], { minLength: 1 })
        .filter((lines) => lines.some((line) => /^[a-z]/.test(line))),
      at: fc.nat(9),
      around: fc.constantFrom<readonly [string, string]>(
        ['', ''],
        ['# by hand\nmax_probe_steps: 6\n', ''],
        ['---\n', '\nother:\n  max-model-len: 1\n'],
      ),
      indent: fc.constantFrom('  ', '    '),
    })
    .map(({ of: [key, value], spelt, section, indent, ...rest }) => ({
      ...rest,
      section,
      indent: section === null ? '' : indent,
      key: spelt === 'underscores' ? key.replaceAll('-', '_') : key,
      value,
    }));

function write({ key, joint, quotedKey, remark }: Drawn, source: string, name = key): string {
  return `${quotedKey ? `"${name}"` : name}${joint}${source}${remark}`;
}

const quote = (style: Style, value: string): string =>
  style === 'double' ? `"${value}"` : style === 'single' ? `'${value}'` : value;

function sourceOf({ style, value, indent }: Drawn): string {
  if (style === 'anchor') return `&a ${value}`;
  if (style === 'block') return `|-\n${indent}  ${value}`;
  if (style === 'list') return `[${value}]`;
  return style === 'empty' ? '' : quote(style, value);
}

// Where nothing else stands in the map, the setting can not go; one other at least is always there.
function fileOf(one: Drawn, own: readonly string[]): string {
  const { others, at, around, section, indent } = one;
  const lines = [...others.slice(0, at), ...own, ...others.slice(at)];
  const body = lines.map((line) => (line === '' ? '\n' : `${indent}${line.replaceAll('{i}', indent)}\n`)).join('');
  // Where there is no section, what stands around would be settings too.
  return section === null ? `# by hand\n${body}` : `${around[0]}vllm:\n${body}${around[1]}`;
}

const keyOf = ({ key }: Drawn): string => key.replaceAll('_', '-');
const isOdd = ({ style }: Drawn): boolean => ODD.includes(style);

const targets = fc.constantFrom('4096', '0.8', 'q8_0', '4096', '1', null);

/** A new line goes before the first key of the map. */
function withLine(one: Drawn, line: string): string {
  const at = one.others.findIndex((other) => /^[a-z]/.test(other));
  return fileOf({ ...one, others: one.others.toSpliced(at, 0, line) }, []);
}

/** A setting with a value: there, in a form that nobody can be sure of, or not there. */
export const valuedFiles: fc.Arbitrary<FileSpec> = fc
  .record({ one: drawn(VALUED), to: targets, isThere: fc.constantFrom(true, true, true, true, true, false) })
  .map(({ one, to, isThere }): FileSpec => {
    const flag = `--${keyOf(one)}`;
    const common = { section: one.section, flag, to, reason: undefined, isLiteral: false };
    const same = { after: undefined, reason: 'nothing-to-change', differ: {} };
    if (!isThere) {
      const text = fileOf(one, []);
      if (to === null) return { ...common, ...same, text };
      return { ...common, text, after: withLine(one, `${keyOf(one)}: ${to}`), differ: { [keyOf(one)]: parse(to) } };
    }
    const text = fileOf(one, [write(one, sourceOf(one)), ...(one.style === 'twice' ? [write(one, '1')] : [])]);
    if (isOdd(one)) {
      const isLiteral = one.style !== 'list' && one.style !== 'empty';
      return { ...common, isLiteral, text, after: undefined, reason: 'file-form', differ: {} };
    }
    if (to === one.value) return { ...common, ...same, text };
    const after = fileOf(one, to === null ? [] : [write(one, quote(one.style, to))]);
    const value = to === null ? null : one.style === 'plain' ? parse(to) : to;
    return { ...common, isLiteral: true, text, after, differ: { [one.key]: value } };
  });

const NEGATABLE = ['enable-prefix-caching', 'enable-chunked-prefill'];
const SWITCHES = {
  'enable-prefix-caching': ['true', 'false'],
  'enable-chunked-prefill': ['true', 'True'],
  'enforce-eager': ['true', 'false'],
};

/** A switch: on, off by its other name, or not there. What of it is on is a rule of the reader of the file. */
export const switchFiles: fc.Arbitrary<FileSpec> = fc
  .record({
    one: drawn(SWITCHES),
    shape: fc.constantFrom('on', 'on', 'off', 'absent'),
    asked: fc.constantFrom('name', 'name', 'negated'),
    to: fc.constantFrom('true', 'false', 'true', 'false', null),
  })
  .map(({ one, shape, asked, to }) => switchFile(one, { shape, isNegated: asked === 'negated', to }));

type SwitchAsk = { readonly shape: string; readonly isNegated: boolean; readonly to: string | null };

function switchFile(one: Drawn, { shape, isNegated: wish, to }: SwitchAsk): FileSpec {
  const isNegatable = NEGATABLE.includes(keyOf(one));
  const isNegated = wish && isNegatable;
  const isOff = shape === 'off' && isNegatable;
  const plain: Drawn = isOdd(one) ? { ...one, style: 'plain' } : one;
  const name = isOff ? `no-${one.key}` : one.key;
  const value = isOff ? 'true' : one.value;
  const text = fileOf(plain, shape === 'absent' ? [] : [write(plain, quote(plain.style, value), name)]);
  const flag = `--${isNegated ? 'no-' : ''}${keyOf(one)}`;
  const common = { section: one.section, flag, to, text, reason: undefined, isLiteral: shape !== 'absent' };
  const same: FileSpec = { ...common, after: undefined, reason: 'nothing-to-change', differ: {}, isLiteral: false };
  const isWanted = (to === 'true') !== isNegated;
  if (shape === 'absent') {
    if (to === null || (!isWanted && !isNegatable)) return same;
    if (one.section !== null) return { ...common, after: undefined, reason: 'switch-in-file', differ: {} };
    const key = `${isWanted ? '' : 'no-'}${keyOf(one)}`;
    return { ...common, after: withLine(plain, `${key}: true`), differ: { [key]: true } };
  }
  if (to === null && isNegated && !isOff) return same;
  const isGone = to === null || (!isWanted && !isNegatable && one.section !== null);
  if (isGone) return { ...common, after: fileOf(plain, []), differ: { [name]: null } };
  const nextName = isNegatable && !isWanted ? `no-${one.key}` : one.key;
  const wanted = isWanted || isNegatable ? 'true' : 'false';
  const next = value.toLowerCase() === wanted ? value : wanted;
  const after = fileOf(plain, [write(plain, quote(plain.style, next), nextName)]);
  if (after === text) return same;
  const read = plain.style === 'plain' ? parse(next) : next;
  return { ...common, after, differ: nextName === name ? { [name]: read } : { [name]: null, [nextName]: read } };
}

/** The bytes are the intended ones; and as the parser reads them, nothing else in the whole file differs, nor the order. */
export function checkFile({ text, section, after, differ }: FileSpec, found: string): void {
  expect(found).toBe(after);
  const [old, now] = [text, found].map((one) => parse(one) as Record<string, unknown>);
  const inMap = (root: Record<string, unknown> | undefined) =>
    (section === null ? root : root?.[section]) as Record<string, unknown>;
  const [before, then] = [inMap(old), inMap(now)];
  for (const [key, value] of Object.entries(differ)) {
    expect(before[key]).not.toEqual(value ?? undefined);
    expect(then[key]).toEqual(value ?? undefined);
  }
  const rest = (map: Record<string, unknown>) => Object.entries(map).filter(([key]) => !(key in differ));
  expect(rest(then)).toEqual(rest(before));
  if (section === null) return;
  const others = (root: Record<string, unknown> | undefined) =>
    Object.entries(root ?? {}).filter(([key]) => key !== section);
  expect(others(now)).toEqual(others(old));
}

export function reasonsOfFile({ reason }: FileSpec): readonly string[] {
  return reason === undefined ? [] : [reason];
}
