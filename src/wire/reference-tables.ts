import { assembleTables, type ShapedTable, TABLE_SHAPES } from '../model/assemble-tables.ts';
import { lintTables } from '../model/lint-tables.ts';
import { tableAt } from '../model/playbook-paths.ts';
import { type ReferenceTables, useTables } from '../model/reference-tables.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import type { Locate, Problem } from '../playbook/problem.ts';
import { shape } from '../playbook/shape-problems.ts';
import { readYaml } from '../playbook/yaml-source.ts';

type TablesRead =
  | { readonly kind: 'sound'; readonly tables: ReferenceTables }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

// What was read last, by the text of its files: a reload that changes no table makes none.
let last: { readonly text: string; readonly tables: ReferenceTables } | undefined;

/** Puts the tables of these files in force, of files with the same path the last one. Wrong ones, and none at all, change nothing. */
export function takeTables(sources: readonly PlaybookSource[]): TablesRead {
  const files = [...new Map(sources.map((file) => [file.path, file])).values()].filter(({ path }) => tableAt(path));
  if (files.length === 0 && last !== undefined) return { kind: 'sound', tables: last.tables };
  const text = files.map((file) => `${file.path}\n${file.text}\n`).join('');
  const read: TablesRead = last?.text === text ? { kind: 'sound', tables: last.tables } : readTables(files);
  if (read.kind === 'refused') return read;
  last = { text, tables: read.tables };
  useTables(read.tables);
  return read;
}

type Part = ShapedTable & { readonly file: string; readonly locate: Locate };

function readTables(files: readonly PlaybookSource[]): TablesRead {
  const read = files.map(readPart);
  const refused = read.flatMap((one) => (Array.isArray(one) ? one : []));
  if (refused.length > 0) return { kind: 'refused', problems: refused };
  const parts = read as readonly Part[];
  const tables = assembleTables(parts);
  const problems = lint(tables, parts);
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'sound', tables };
}

function readPart({ root, path, ...source }: PlaybookSource): Part | Problem[] {
  const file = `${root.replace(/\/+$/, '')}/${path}`;
  const yaml = readYaml({ ...source, path: file });
  if (yaml.kind === 'refused') return [...yaml.problems];
  const { locate } = yaml;
  const kind = tableAt(path)?.kind;
  if (kind === undefined) return { path, file, value: yaml.value, locate };
  const shaped = shape<unknown>(TABLE_SHAPES[kind], yaml.value, { path: file, locate });
  return shaped.kind === 'refused' ? [...shaped.problems] : { path, file, value: shaped.value, locate };
}

// The rules look the rows up, so the tables are in force while they are judged.
function lint(tables: ReferenceTables, parts: readonly Part[]): Problem[] {
  useTables(tables);
  const problems = lintTables(parts).flatMap(({ path, keys, message }): Problem[] => {
    const part = parts.find((one) => one.path === path);
    return part === undefined ? [] : [{ file: part.file, ...part.locate(keys), message, severity: 'error' }];
  });
  if (problems.length > 0 && last !== undefined) useTables(last.tables);
  return problems;
}
