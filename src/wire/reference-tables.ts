import { mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { type ReferenceTables, useTables } from '../model/reference-tables.ts';
import { assembleTables, type ShapedTable, TABLE_SHAPES } from '../model/tables/assemble.ts';
import { lintTables } from '../model/tables/lint.ts';
import { tableAt } from '../model/tables/table-paths.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import type { Locate, Problem } from '../playbook/problem.ts';
import { shape } from '../playbook/shape-problems.ts';
import { readYaml } from '../playbook/yaml-source.ts';
import { hashOf } from './parsed-files.ts';

export type TablesRead =
  | { readonly kind: 'sound'; readonly tables: ReferenceTables }
  | { readonly kind: 'refused'; readonly problems: readonly Problem[] };

// What was read last, by the text of its files: a reload that changes no table makes none.
let last: { readonly hash: string; readonly tables: ReferenceTables } | undefined;

/** Puts the tables of these files in force, of files with the same path the last one; a wrong one changes nothing. */
export function takeTables(sources: readonly PlaybookSource[]): TablesRead {
  const files = [...new Map(sources.map((file) => [file.path, file])).values()].filter(({ path }) => tableAt(path));
  const hash = hashOf(files.map(({ path, text }) => `${path}\n${text}\n`).join('') + codeOfTables());
  const isShipped = new Set(files.map(({ root }) => root)).size === 1;
  const ready = last?.hash === hash ? last.tables : isShipped ? readCache(hash) : undefined;
  const read: TablesRead = ready === undefined ? readTables(files) : { kind: 'sound', tables: ready };
  if (read.kind === 'refused') return read;
  if (ready === undefined && isShipped) writeCache(hash, read.tables);
  last = { hash, tables: read.tables };
  useTables(read.tables);
  return read;
}

type Part = ShapedTable & Pick<PlaybookSource, 'isChecked'> & { readonly file: string; readonly locate: Locate };

// The sound files of the last reading, by place and text: of a folder that changed the other files are not read again.
let kept: ReadonlyMap<string, Part> = new Map();

function readTables(files: readonly PlaybookSource[]): TablesRead {
  const read = files.map((file): readonly [string, Part | Problem[]] => {
    const key = `${file.root}\n${file.path}\n${file.text}`;
    return [key, kept.get(key) ?? readPart(file)];
  });
  kept = new Map(read.flatMap(([key, part]) => (Array.isArray(part) ? [] : [[key, part]])));
  const refused = read.flatMap(([, part]) => (Array.isArray(part) ? part : []));
  if (refused.length > 0) return { kind: 'refused', problems: refused };
  const parts = [...kept.values()];
  const tables = assembleTables(parts);
  const problems = parts.every(({ isChecked }) => isChecked) ? [] : lint(tables, parts);
  return problems.length > 0 ? { kind: 'refused', problems } : { kind: 'sound', tables };
}

function readPart({ root, path, ...source }: PlaybookSource): Part | Problem[] {
  const file = `${root.replace(/\/+$/, '')}/${path}`;
  const yaml = readYaml({ ...source, path: file });
  if (yaml.kind === 'refused') return [...yaml.problems];
  const { isChecked } = source;
  const { locate } = yaml;
  const kind = tableAt(path)?.kind;
  if (kind === undefined || isChecked) return { path, file, value: yaml.value, locate, isChecked };
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

// In a clone no build has read the files; reading them takes a quarter of a second.
const CACHE = import.meta.url.endsWith('.ts') ? new URL('../../.cache/tables.json', import.meta.url) : undefined;

// What was made of a text by other code is not what is made of it now.
function codeOfTables(): string {
  if (CACHE === undefined) return '';
  const folder = new URL('../model/tables/', import.meta.url);
  return readdirSync(folder)
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('');
}

function readCache(hash: string): ReferenceTables | undefined {
  if (CACHE === undefined) return undefined;
  try {
    const kept = JSON.parse(readFileSync(CACHE, 'utf8')) as NonNullable<typeof last>;
    return kept.hash === hash ? kept.tables : undefined;
  } catch {
    return undefined;
  }
}

function writeCache(hash: string, tables: ReferenceTables): void {
  if (CACHE === undefined) return;
  try {
    mkdirSync(new URL('.', CACHE), { recursive: true });
    const draft = new URL(`tables-${hash}.json`, CACHE);
    writeFileSync(draft, JSON.stringify({ hash, tables }));
    renameSync(draft, CACHE);
  } catch {
    // Where there is no place to write, they are read again the next time.
  }
}
