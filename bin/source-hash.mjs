import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Next to the bundle, written last by scripts/build.ts: what it was built from, by `hashOfSource`. */
export const BUILT_FROM = 'built-from.txt';

// Playbooks are not among it: the bundle reads them as they are, at each start.
const OUTSIDE_SRC = ['package.json', 'package-lock.json', 'scripts/build.ts', 'scripts/lean-bundle.ts'];

/**
 * What a bundle of this checkout depends on, as one hash of contents. Times of files tell less: copies, archives and a
 * change of branch reset them. A thousand files take some hundredths of a second.
 * @param {string} root
 * @returns {string}
 */
export function hashOfSource(root) {
  const inSrc = readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const hash = createHash('sha256');
  for (const path of [...OUTSIDE_SRC.map((name) => join(root, name)), ...inSrc]) {
    const content = readFileSync(path);
    hash.update(`${relative(root, path)}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}
