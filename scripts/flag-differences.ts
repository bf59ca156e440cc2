import { defaultOf } from '../src/model/default-table.ts';
import { entryOf, isWithin, readVersion } from '../src/model/flag-table.ts';
import { tablesInForce } from '../src/model/reference-tables.ts';

/** A flag as `--help` prints it, with all its spellings. */
export type HelpFlag = { readonly names: readonly string[]; readonly value: string | undefined };

/** What `--help` of an engine has that our tables do not, and the other way round. */
export type FlagDifferences = {
  readonly unknown: readonly string[];
  readonly gone: readonly string[];
  readonly defaults: readonly { readonly flag: string; readonly ours: string; readonly theirs: string }[];
};

const NAME = /(?<![\w-])--?[A-Za-z][\w-]*/g;

/** The flags of a `--help` text of argparse or of llama.cpp: indented lines that begin with a flag. */
export function readHelp(text: string): readonly HelpFlag[] {
  const blocks = text.split(/\n(?=\s{0,8}--?[A-Za-z])/).filter((block) => /^\s{0,8}--?[A-Za-z]/.test(block));
  return blocks.map((block) => {
    // The text stands two blanks behind the names, which are apart by more in llama.cpp.
    const [heading = ''] = (block.trim().split('\n')[0] ?? '').split(/ {2,}(?![ -])/);
    const value = /[([]default: ?([^,)\]\n]*)/i.exec(block.replaceAll(/\s*\n\s*/g, ' '))?.[1];
    return { names: heading.match(NAME) ?? [], value: value?.trim() };
  });
}

export function compareFlags(engine: string, version: string | undefined, help: readonly HelpFlag[]): FlagDifferences {
  const tables = tablesInForce();
  const { values, lists, negatable, switches } = tables.commandLines[engine] ?? {};
  const spelled = new Set([values, lists, negatable, switches].flatMap((names) => names?.split(/[\s=]+/) ?? []));
  const printed = new Set(help.flatMap(({ names }) => names.map(toKey)));
  const release = readVersion(engine, version);
  const ours = tables.flags.filter(
    (entry) =>
      entry.engine === engine &&
      entry.kind === 'flag' &&
      (release === undefined ? entry.until === null && entry.since !== 'never' : isWithin(release, entry)),
  );
  return {
    unknown: help
      .filter(({ names }) => names.every((name) => entryOf(engine, name) === undefined && !spelled.has(toKey(name))))
      .flatMap(({ names }) => names.at(-1) ?? []),
    gone: ours
      .filter(({ flag, aliases = [] }) => ![flag, ...aliases].some((name) => printed.has(toKey(name))))
      .map(({ flag }) => flag),
    defaults: ours.flatMap(({ flag, ...entry }) => {
      const theirs = help.find(({ names }) => names.map(toKey).includes(toKey(flag)))?.value;
      const known = defaultOf(engine, flag, { version })?.value ?? entry.default;
      // A default in words depends on what a help text does not know.
      if (theirs === undefined || known.includes(' ') || isSame(known, theirs)) return [];
      return [{ flag, ours: known, theirs }];
    }),
  };
}

function toKey(name: string): string {
  return name.startsWith('--') ? name.replaceAll('_', '-') : name;
}

const NOTHING = new Set(['none', 'null', 'false', 'off', 'disabled', '']);

function isSame(ours: string, theirs: string): boolean {
  const [a, b] = [ours, theirs].map((text) => text.toLowerCase().replaceAll(/['"`]/g, '').trim()) as [string, string];
  const numbers = [a, b].map((text) => Number.parseFloat(text));
  return a === b || (NOTHING.has(a) && NOTHING.has(b)) || (numbers[0] === numbers[1] && !Number.isNaN(numbers[0]));
}
