import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** Written by scripts/build.ts beside the bundle: what the shipped files hold, by the SHA-256 of their text. */
export type ReadByBuild = { readonly [sha256: string]: unknown };

export const READ_BY_BUILD = 'read-by-build.json';

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Finds what a text holds if the build has read this very text; reading 450 kB of YAML takes a third of the start. */
export function openReadByBuild(): (text: string) => unknown {
  const ready = import.meta.url.endsWith('.ts') ? {} : readReady();
  return (text) => ready[hashOf(text)];
}

function readReady(): ReadByBuild {
  try {
    return JSON.parse(readFileSync(new URL(READ_BY_BUILD, import.meta.url), 'utf8')) as ReadByBuild;
  } catch {
    return {};
  }
}
