import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { tableAt } from '../src/model/playbook-paths.ts';
import { withValues } from '../src/wire/parsed-files.ts';

const ROOT = join(import.meta.dirname, '../playbooks');

/** The shipped files of tables. */
export const TABLE_FILES = withValues(
  readdirSync(ROOT, { recursive: true, encoding: 'utf8' })
    .filter((path) => tableAt(path) !== undefined)
    .toSorted()
    .map((path) => ({ root: ROOT, path, text: readFileSync(join(ROOT, path), 'utf8') })),
);
