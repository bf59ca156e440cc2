import { engineKey } from './engine-names.ts';
import type { FlagEntry } from './flags-file.ts';
import type { Feature } from './knobs-file.ts';
import { compareVersions } from './metric-table.ts';
import { nearest } from './nearest.ts';
import { tablesInForce } from './reference-tables.ts';
import { topicKey } from './topic.ts';

export type { FlagEntry };

/** Whether an engine has a flag in a version, and what the engine does where it is not given. */
export type FlagAnswer =
  | { readonly kind: 'exists'; readonly entry: FlagEntry; readonly value: string }
  | { readonly kind: 'absent'; readonly why: string; readonly instead?: string }
  | { readonly kind: 'unknown'; readonly why: string };

/**
 * What is known of a flag (`--max-model-len`, `-tp`, `OLLAMA_NUM_PARALLEL`). Where the version is not known, only a flag
 * that every version read has `exists`. A flag that the table does not hold is `unknown`: the table lists what moves memory.
 */
export function flagOf(engine: string, version: string | undefined, flag: string): FlagAnswer {
  const entry = entryOf(engine, flag);
  if (entry === undefined) {
    const near = nearestFlag(engine, flag);
    const meant = near === undefined ? '' : `, did you mean ${near}?`;
    return { kind: 'unknown', why: `whether ${engine} has ${flag} is not known${meant}` };
  }
  if (entry.since === 'never') return { kind: 'absent', why: `no version of ${engine} has ${flag}` };
  if (entry.since === null && entry.until === null) return { kind: 'exists', entry, value: entry.default };
  const release = readVersion(engine, version);
  if (release === undefined) {
    return { kind: 'unknown', why: `${flag} is there in ${rangeOf(entry)}, and the version of ${engine} is not known` };
  }
  if (isWithin(release, entry)) return { kind: 'exists', entry, value: entry.default };
  const { instead } = entry;
  const renamed = instead === undefined ? undefined : entryOf(engine, instead);
  return {
    kind: 'absent',
    why: `${engine} ${release} has no ${flag}: it is there in ${rangeOf(entry)}`,
    ...(instead !== undefined && renamed !== undefined && isWithin(release, renamed) ? { instead } : {}),
  };
}

/** The entry of a flag, whatever the version; `_` and `-` are the same in names. */
export function entryOf(engine: string, flag: string): FlagEntry | undefined {
  const key = keyOf(flag);
  const entries = entriesByName();
  return entries.get(`${engine} ${key}`) ?? entries.get(`any ${key}`);
}

// Each diagnosis asks hundreds of times.
const indexed = new WeakMap<readonly FlagEntry[], ReadonlyMap<string, FlagEntry>>();

function entriesByName(): ReadonlyMap<string, FlagEntry> {
  const { flags } = tablesInForce();
  const known = indexed.get(flags);
  if (known !== undefined) return known;
  const entries = new Map<string, FlagEntry>();
  for (const entry of flags) {
    for (const name of [entry.flag, ...(entry.aliases ?? [])]) {
      const key = `${entry.engine} ${keyOf(name)}`;
      if (!entries.has(key)) entries.set(key, entry);
    }
  }
  indexed.set(flags, entries);
  return entries;
}

/** The flag of an engine that looks most like this one, if one does. */
export function nearestFlag(engine: string, flag: string): string | undefined {
  return nearest(flag, namesOf(engine));
}

function namesOf(engine: string): readonly string[] {
  const own = tablesInForce().flags.filter((entry) => entry.engine === engine);
  return own.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]);
}

/** The engine whose flags are listed under a word such as `vLLM`, `trtllm` or `cuda`; undefined for any other word. */
export function flaggedEngine(word: string): string | undefined {
  const key = engineKey(word);
  return flaggedEngines().find((engine) => engine === (key === 'cuda' ? 'pytorch' : key));
}

/** The engines with flags or behaviors by version, and `pytorch` for what all of them run on. */
export function flaggedEngines(): readonly string[] {
  const { flags, features } = tablesInForce();
  const engines = [...flags, ...features].map(({ engine }) => (engine === 'any' ? 'pytorch' : engine));
  return [...new Set(engines)];
}

export function flagsOf(engine: string): readonly FlagEntry[] {
  return tablesInForce().flags.filter((entry) => entry.engine === (engine === 'pytorch' ? 'any' : engine));
}

export function behaviorsOf(engine: string): readonly Feature[] {
  return tablesInForce().features.filter((one) => one.engine === engine);
}

/** A flag in all engines, as people type it: `--max-num-seqs`, `max_num_seqs`, `--max-num-seqs=256`, `-tp`. */
export function flagsNamed(typed: string): readonly FlagEntry[] {
  const key = typedKey(typed.replace(/=.*$/s, ''));
  return tablesInForce().flags.filter(({ flag, aliases = [] }) =>
    [flag, ...aliases].some((name) => typedKey(name) === key),
  );
}

// `-c` and `-C` are two flags.
function typedKey(name: string): string {
  return /^-[^-]/.test(name) ? name : topicKey(name.replace(/ \(.*$/, ''));
}

/** Every name of a flag that is one word. */
export function flagNames(): readonly string[] {
  const names = tablesInForce().flags.flatMap(({ flag, aliases = [] }) => [flag, ...aliases]);
  return [...new Set(names)].filter((name) => /^[\w.-]+$/.test(name));
}

/** Whether any engine's table holds the flag. */
export function isTabled(flag: string): boolean {
  const key = keyOf(flag);
  return tablesInForce().flags.some(({ flag: name, aliases = [] }) =>
    [name, ...aliases].some((one) => keyOf(one) === key),
  );
}

function keyOf(flag: string): string {
  return /^--/.test(flag) ? flag.replaceAll('_', '-') : flag;
}

/** A version that can be compared, such as `0.9.2`, or `11434` for build b11434 of llama.cpp; undefined where it tells nothing (`latest`, `0.1.dev1`, a vendor's `25.03`). */
export function readVersion(engine: string, version: string | undefined): string | undefined {
  const highest = tablesInForce().highestMajor[engine];
  const build = /^b?(\d{3,6})(?:-[0-9a-f]{7,})?$/.exec(version?.trim() ?? '')?.[1];
  if (build !== undefined && Number(build) <= (highest ?? 0)) return build;
  const match = /^v?(\d+)\.(\d+)(?:\.(\d+))?(?:\.?(?:post|rc)\d+)?/.exec(version?.trim() ?? '');
  if (match === null) return undefined;
  // Images of vendors carry the vendor's own number; wheels built from a checkout without tags call themselves 0.1.dev1.
  if (Number(match[1]) > (highest ?? Number.POSITIVE_INFINITY)) return undefined;
  if (match[3] === undefined && /^v?0\.[01]\.dev/.test(version ?? '')) return undefined;
  return match[0].replace(/^v/, '');
}

/** Whether a version lies in a range; `until` counts all of its patch releases. */
export function isWithin(version: string, range: Pick<FlagEntry, 'since' | 'until'>): boolean {
  const { since, until } = range;
  if (since === 'never') return false;
  if (since !== null && (compareVersions(version, since) || postOf(version) - postOf(since)) < 0) return false;
  return until === null || compareVersions(version, until, until.split('.').length) <= 0;
}

function postOf(version: string): number {
  return Number(/post(\d+)/.exec(version)?.[1] ?? 0);
}

function rangeOf({ since, until }: FlagEntry): string {
  if (since === null) return `versions up to ${until ?? 'the newest'}`;
  return until === null ? `${since} and newer` : `${since} to ${until}`;
}

/** The variable that sets a flag where the flag itself is not given; undefined where an engine has none of the same name for it. */
export function variableOfFlag(engine: string, flag: string): string | undefined {
  if (tablesInForce().commandLines[engine]?.variables !== 'upper-case' || !flag.startsWith('--')) return undefined;
  return flag.slice(2).replaceAll('-', '_').toUpperCase();
}
