import { type Document, isMap, isScalar, type Pair, parseAllDocuments, type Scalar, type YAMLMap } from 'yaml';
import { type Dialect, toKey } from './engine-flags.ts';

/** One setting of a configuration file; keys are spelt as flags without their dashes. */
export type Setting = { readonly key: string; readonly pair: Pair; readonly value: Scalar };

export type ConfigMapping = {
  readonly map: YAMLMap;
  /** Undefined where the key holds no single value (a list, a map, an alias). */
  find(
    key: string,
  ): { readonly kind: 'setting'; readonly setting: Setting } | { readonly kind: 'none' } | { readonly kind: 'odd' };
};

const MAX_TEXT = 256 * 1024;

/** The map of settings of a YAML text, whole or under `section`; undefined where it is no plain map. */
export function readMapping(text: string, section: string | null, dialect?: Dialect): ConfigMapping | undefined {
  const document = parseOne(text);
  const root = document?.contents;
  const map = section === null ? root : isMap(root) ? root.get(section, true) : undefined;
  if (!isMap(map) || map.anchor !== undefined || map.tag !== undefined) return undefined;
  return { map, find: (key) => findSetting(map, key, dialect) };
}

/** All settings with a single value, as text; undefined where the text is no plain map. */
export function readConfigText(
  text: string,
  section: string | null,
  dialect?: Dialect,
): ReadonlyMap<string, string> | undefined {
  const mapping = readMapping(text, section, dialect);
  if (mapping === undefined) return undefined;
  return new Map(
    mapping.map.items.flatMap(({ key, value }): [string, string][] => {
      if (!isScalar(key)) return [];
      return [[toSettingKey(String(key.value), dialect), isScalar(value) ? (value.source ?? String(value.value)) : '']];
    }),
  );
}

/** A setting's key as engines compare it: `max-model-len` for `--max_model_len`; other spellings of a flag are one. */
export function toSettingKey(flag: string, dialect?: Dialect): string {
  const known = dialect?.find(flag.startsWith('-') ? flag : `--${flag}`)?.name;
  return toKey((known ?? flag).replace(/^-+/, ''));
}

function parseOne(text: string): Document.Parsed | undefined {
  if (text.length > MAX_TEXT || text.includes('\r')) return undefined;
  const documents = parseAllDocuments(text, { keepSourceTokens: true, logLevel: 'silent', uniqueKeys: true });
  const [first] = Array.isArray(documents) ? documents : [];
  const isPlain = Array.isArray(documents) && documents.length === 1 && first?.errors.length === 0;
  return isPlain ? first : undefined;
}

function findSetting(map: YAMLMap, flag: string, dialect?: Dialect): ReturnType<ConfigMapping['find']> {
  const key = toSettingKey(flag, dialect);
  const pairs = map.items.filter((pair) => isScalar(pair.key) && toSettingKey(String(pair.key.value), dialect) === key);
  const [pair] = pairs;
  if (pair === undefined) return { kind: 'none' };
  const { value } = pair;
  const isPlain = pairs.length === 1 && isScalar(value) && value.anchor === undefined && value.tag === undefined;
  if (!isPlain || /^BLOCK/.test(value.type ?? '') || value.value === null) return { kind: 'odd' };
  return { kind: 'setting', setting: { key, pair, value } };
}
