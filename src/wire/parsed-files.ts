import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import { parsePhrases } from '../playbook/phrases.ts';
import { readYaml } from '../playbook/yaml-source.ts';
import { openParsedCache } from './parsed-cache.ts';

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
    return value === undefined ? file : { ...file, value, isChecked: true };
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
  '../model/phrase.ts',
  '../model/signature-roles.ts',
  '../model/taxonomy.ts',
  '../model/version-range.ts',
  '../playbook/linear-pattern.ts',
  '../playbook/phrases.ts',
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
    if (isChecked && parsePhrases([read]).problems.length > 0) return read;
    cache.write(key, source.value);
    return { ...read, isChecked };
  });
}
