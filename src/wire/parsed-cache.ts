import { createHash, randomUUID } from 'node:crypto';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnFolder } from '../../bin/own-folder.mjs';

/** A text: where it was read, and its SHA-256. */
export type CacheKey = { readonly path: string; readonly hash: string };

/** What YAML files held when they were last read, one entry for each path. */
export type ParsedCache = {
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
