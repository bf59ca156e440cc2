import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isOwnFolder } from '../../bin/own-folder.mjs';
import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import { parseSignatures } from '../playbook/signatures.ts';
import { readYaml } from '../playbook/yaml-source.ts';

/** Written by scripts/build.ts next to the bundle: what the built-in files hold, by the SHA-256 of their text. */
export type ReadByBuild = { readonly [sha256: string]: unknown };

export const READ_BY_BUILD = 'read-by-build.json';

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Gives each file what it holds where this very text was read before: reading and checking all of it takes a second. */
export function withValues(files: readonly PlaybookSource[]): readonly PlaybookSource[] {
  return import.meta.url.endsWith('.ts') ? fromCache(files) : fromBuild(files);
}

function fromBuild(files: readonly PlaybookSource[]): readonly PlaybookSource[] {
  const ready = readReady();
  return files.map((file) => {
    const value = ready[hashOf(file.text)];
    return value === undefined ? file : { ...file, value, isChecked: PLAYBOOK_PATHS.signatures.test(file.path) };
  });
}

function readReady(): ReadByBuild {
  try {
    return JSON.parse(readFileSync(new URL(READ_BY_BUILD, import.meta.url), 'utf8')) as ReadByBuild;
  } catch {
    return {};
  }
}

// What decides whether a file of signatures is sound: another version of it may refuse what this one has found sound.
const RULES = [
  '../model/engine-figures.ts',
  '../model/linear-pattern.ts',
  '../model/signature.ts',
  '../model/signature-roles.ts',
  '../model/taxonomy.ts',
  '../model/version-range.ts',
  '../playbook/linear-pattern.ts',
  '../playbook/signatures.ts',
];

function fromCache(files: readonly PlaybookSource[]): readonly PlaybookSource[] {
  const cache = openParsedCache(fileURLToPath(new URL('../../node_modules/.cache/oombot', import.meta.url)));
  const rules = RULES.map((path) => readFileSync(new URL(path, import.meta.url), 'utf8')).join('');
  return files.map((file) => {
    const key = { path: `${file.root}/${file.path}`, hash: hashOf(rules + file.text) };
    const isChecked = PLAYBOOK_PATHS.signatures.test(file.path);
    const held = cache.read(key);
    if (held !== undefined) return { ...file, value: held, isChecked };
    const source = readYaml(file);
    if (source.kind === 'refused') return file;
    const read = { ...file, value: source.value };
    if (isChecked && parseSignatures([read]).problems.length > 0) return read;
    cache.write(key, source.value);
    return { ...read, isChecked };
  });
}

/** A text: where it was read, and its SHA-256. */
type CacheKey = { readonly path: string; readonly hash: string };

/** What YAML files held when they were last read, one entry for each path. */
type ParsedCache = {
  /** Undefined where the text has changed, or the entry is broken. */
  read(key: CacheKey): unknown;
  write(key: CacheKey, value: unknown): void;
};

const NONE: ParsedCache = { read: () => undefined, write: () => undefined };

/** Opens a cache in a folder that nobody else can write; one that never holds anything where that cannot be had. */
export function openParsedCache(folder: string): ParsedCache {
  if (!isOwnFolder(folder)) return NONE;
  const fileOf = ({ path }: CacheKey) => join(folder, `${createHash('sha256').update(path).digest('hex')}.json`);
  return {
    read(key) {
      try {
        const held = JSON.parse(readFileSync(fileOf(key), 'utf8')) as { hash?: unknown; value?: unknown };
        return held.hash === key.hash ? held.value : undefined;
      } catch {
        return undefined;
      }
    },
    write(key, value) {
      try {
        const temporary = join(folder, `${randomUUID()}.tmp`);
        writeFileSync(temporary, JSON.stringify({ hash: key.hash, value }), { mode: 0o600, flag: 'wx' });
        renameSync(temporary, fileOf(key));
      } catch {
        // The next start reads the YAML again.
      }
    },
  };
}
