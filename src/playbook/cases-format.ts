import { z } from 'zod';
import { ActionId } from '../model/action.ts';
import { type FactEntry, type FactValue, UnknownReason } from '../model/fact.ts';
import { FileName } from '../model/snapshot.ts';
import { Cause, Phase, Plane } from '../model/taxonomy.ts';
import { type CompileContext, createContext, findFact, type Keys } from './compile-context.ts';
import type { Catalogues } from './compiled.ts';
import type { LocateIn, Problem } from './problem.ts';
import { shape } from './shape-problems.ts';
import { readValue } from './value.ts';
import { readYaml, type TextFile } from './yaml-source.ts';

/** A value as in a condition, the word `unknown`, or `{ unknown: <reason> }`. */
const Given = z.record(
  z.string(),
  z.union([z.boolean(), z.number(), z.string(), z.strictObject({ unknown: UnknownReason })]),
);

const Expect = z
  .strictObject({
    path: z.array(z.string()).optional(),
    finding: z.string().optional(),
    plane: Plane.optional(),
    phase: Phase.optional(),
    cause: Cause.optional(),
    certain: z.boolean().optional(),
    'cause-certain': z.boolean().optional(),
    'not-ruled-out': z.array(z.string()).optional(),
    alternatives: z.array(Cause).optional(),
    offers: z.array(ActionId).optional(),
    says: z.string().min(1).optional(),
  })
  .refine((expect) => Object.keys(expect).length > 0, { error: 'expects nothing, so it cannot fail' });
export type Expect = z.infer<typeof Expect>;

/** One change of a raw file: the file is gone, its lines that hold `drop` are, or `with` stands wherever `replace` stood. */
const FileChange = z
  .strictObject({
    file: FileName,
    gone: z.literal(true).optional(),
    drop: z.string().min(1).optional(),
    replace: z.string().min(1).optional(),
    with: z.string().optional(),
  })
  .refine(
    ({ gone, drop, replace, with: put }) =>
      [gone, drop, replace].filter((one) => one !== undefined).length === 1 &&
      (replace === undefined) === (put === undefined),
    { error: 'takes one of `gone: true`, `drop`, or `replace` and `with`' },
  );
export type FileChange = z.infer<typeof FileChange>;

const CaseFile = z
  .strictObject({
    name: z.string().trim().min(1),
    given: Given.optional(),
    without: z.array(z.string()).optional(),
    incident: z
      .string()
      .regex(/^[a-z0-9][a-z0-9._-]*$/, { error: 'is the name of a folder under `incidents`' })
      .optional(),
    change: z.array(FileChange).min(1).optional(),
    expect: Expect,
  })
  .refine(({ incident, change }) => change === undefined || incident !== undefined, {
    error: 'changes files of an `incident` but names none',
    path: ['change'],
  });

/** A file of cases as it stands. `base` holds for every case of the file that starts from facts. */
const CasesFile = z.strictObject({ base: Given.optional(), cases: z.array(CaseFile).min(1) });

export type GivenFact =
  | { readonly kind: 'known'; readonly value: FactValue }
  | { readonly kind: 'unknown'; readonly reason: UnknownReason };

/** A case with its facts read. With `incident` the facts come from raw files and the changes override them. */
export type Case = {
  readonly name: string;
  readonly file: string;
  readonly place: () => { readonly line: number; readonly column: number };
  readonly facts: ReadonlyMap<string, GivenFact>;
  readonly incident: string | undefined;
  /** What is changed in those files before they are read. */
  readonly change: readonly FileChange[];
  readonly expect: Expect;
};

type ReadCases = { readonly cases: readonly Case[]; readonly problems: readonly Problem[] };

/** Reads a file of cases: the sound ones, and what is wrong with the others; never throws. */
export function readCases(file: TextFile, catalogues: Catalogues): ReadCases {
  const source = readYaml(file);
  if (source.kind === 'refused') return { cases: [], problems: source.problems };
  const shaped = shape(CasesFile, source.value, { path: file.path, locate: source.locate });
  if (shaped.kind === 'refused') return { cases: [], problems: shaped.problems };
  const locate: LocateIn = (keys, key) => ({ file: file.path, ...source.locate(keys, key) });
  const context = createContext({ ...catalogues, locate, thresholds: new Map() });
  const base = readGiven(shaped.value.base ?? {}, ['base'], context);
  const names = new Set<string>();
  const cases = shaped.value.cases.map((raw, index): Case => {
    const keys = ['cases', index];
    if (names.has(raw.name)) context.fault([...keys, 'name'], `a second case called "${raw.name}"`);
    names.add(raw.name);
    const facts = new Map([
      ...(raw.incident === undefined ? base : []),
      ...readGiven(raw.given ?? {}, [...keys, 'given'], context),
    ]);
    for (const [at, fact] of (raw.without ?? []).entries()) {
      if (findFact(fact, [...keys, 'without', at], context) !== undefined)
        facts.set(fact, { kind: 'unknown', reason: 'not-in-snapshot' });
    }
    const { name, incident, change = [], expect } = raw;
    return { name, file: file.path, place: () => source.locate(keys), facts, incident, change, expect };
  });
  const { problems } = context;
  return { cases: problems.length > 0 ? [] : cases, problems };
}

function readGiven(given: z.infer<typeof Given>, keys: Keys, context: CompileContext): [string, GivenFact][] {
  return Object.entries(given).flatMap(([id, raw]): [string, GivenFact][] => {
    const entry = findFact(id, [...keys, id], context, true);
    const fact = entry && readOne(entry, raw, (message) => context.fault([...keys, id], message));
    return fact === undefined ? [] : [[id, fact]];
  });
}

function readOne(
  entry: FactEntry,
  raw: z.infer<typeof Given>[string],
  fault: (message: string) => undefined,
): GivenFact | undefined {
  if (raw === 'unknown') return { kind: 'unknown', reason: 'not-in-snapshot' };
  if (typeof raw === 'object') return { kind: 'unknown', reason: raw.unknown };
  const read = readValue(entry, raw);
  return read.kind === 'read' ? { kind: 'known', value: read.value } : fault(read.message);
}
