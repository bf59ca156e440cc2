import { entryOf, isWithin, readVersion } from '../../model/flag-table.ts';
import { nearest } from '../../model/nearest.ts';
import { fromTables, type ReferenceTables } from '../../model/reference-tables.ts';

type FlagKind = 'value' | 'list' | 'negatable' | 'switch';

export type KnownFlag = {
  /** The spelling that a new occurrence gets. */
  readonly name: string;
  readonly kind: FlagKind;
  readonly since: string | null;
  readonly until: string | null;
};

type CommandLine = ReferenceTables['commandLines'][string];

/** The command line of one engine, for looking up. */
export type Dialect = Pick<
  CommandLine,
  'joint' | 'lastWins' | 'abbreviates' | 'prefersVariables' | 'argumentVariable' | 'serves'
> & {
  readonly engine: string;
  find(flag: string): KnownFlag | undefined;
  /** The flag that was probably meant by one that is unknown. */
  nearest(flag: string): string | undefined;
  variableOf(flag: string): string | undefined;
  /** Whether `written` may be an abbreviation, or a short form with its value glued on, of `flag`. */
  mayMean(written: string, flag: string): boolean;
  /** The short form of one letter that `written` begins with, its value glued on: `-q` of `-qfp8`. */
  shortOf(written: string): string | undefined;
};

/** A flag as engines compare it: `-` for `_` up to the first dot. */
export function toKey(flag: string): string {
  const dot = flag.indexOf('.');
  return dot === -1 ? flag.replaceAll('_', '-') : flag.slice(0, dot).replaceAll('_', '-') + flag.slice(dot);
}

/** The flag that `--no-x` turns off; undefined where it is a flag of its own or none. */
export function findNegated(dialect: Dialect | undefined, flag: string): KnownFlag | undefined {
  if (dialect === undefined || dialect.find(flag) !== undefined) return undefined;
  const known = /^--no[-_]/.test(flag) ? dialect.find(`--${flag.slice(5)}`) : undefined;
  return known?.kind === 'negatable' || known?.kind === 'switch' ? known : undefined;
}

/** `true` for `false` and `false` for `true`. */
export function negate(to: string | null): string | null {
  return to === 'true' ? 'false' : to === 'false' ? 'true' : to;
}

/** The dialect of an engine; undefined for one that no table knows. */
export function dialectOf(engine: string): Dialect | undefined {
  return dialects().get(engine);
}

const dialects = fromTables(
  ({ commandLines }): ReadonlyMap<string, Dialect> =>
    new Map(Object.entries(commandLines).map(([engine, line]) => [engine, createDialect(engine, line)])),
);

function createDialect(engine: string, line: CommandLine): Dialect {
  const flags = new Map<string, KnownFlag>([
    ...readNames(engine, line.values, 'value'),
    ...readNames(engine, line.lists, 'list'),
    ...readNames(engine, line.negatable, 'negatable'),
    ...readNames(engine, line.switches, 'switch'),
  ]);
  const shorts = [...flags.keys()].filter((key) => /^-[A-Za-z]$/.test(key));
  const { abbreviates, variables = {} } = line;
  const find = (flag: string) => flags.get(toKey(flag));
  return {
    ...line,
    engine,
    find,
    nearest: (flag) => nearest(toKey(flag), flags.keys()),
    variableOf(flag) {
      if (variables === 'upper-case') return toKey(flag).slice(2).replaceAll('-', '_').toUpperCase();
      return variables[find(flag)?.name ?? flag];
    },
    shortOf(written) {
      const short = written.slice(0, 2);
      const isGlued = abbreviates && /^-[A-Za-z][A-Za-z0-9]/.test(written) && find(written) === undefined;
      return isGlued && find(short)?.kind === 'value' ? short : undefined;
    },
    mayMean(written, flag) {
      const key = toKey(written);
      const name = flags.get(toKey(flag))?.name ?? flag;
      if (key.startsWith('--')) return abbreviates && !flags.has(key) && isBeginning(key, toKey(name));
      return shorts.some((short) => key.startsWith(short) && !flags.has(key) && flags.get(short)?.name === name);
    },
  };
}

function isBeginning(key: string, name: string): boolean {
  return (
    key.length > 2 && key.length < name.length && (name.startsWith(key) || name.replace('--', '--no-').startsWith(key))
  );
}

function readNames(engine: string, text = '', kind: FlagKind): [key: string, flag: KnownFlag][] {
  return text
    .split(/\s+/)
    .filter((group) => group !== '')
    .flatMap((group) => {
      const spellings = group.split('=');
      const name = spellings[0] ?? group;
      const { since = null, until = null } = entryOf(engine, name) ?? {};
      return spellings.map((spelling): [string, KnownFlag] => [toKey(spelling), { name, kind, since, until }]);
    });
}

/** Whether a flag is there in a version of an engine; what cannot be compared is. */
export function isInVersion(flag: KnownFlag, engine: string, version: string | null | undefined): boolean {
  const release = readVersion(engine, version ?? undefined);
  return release === undefined || isWithin(release, flag);
}
