import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlaybookFiles } from '../src/folder/playbook-files.ts';
import { playbookDirs } from '../src/wire/knowledge.ts';
import { takeTables } from '../src/wire/reference-tables.ts';
import { configurationPage } from './configuration-page.ts';
import { versionsPage } from './versions-page.ts';

takeTables(await readPlaybookFiles(playbookDirs([])));
// Pages that are made from the code. A test fails where one of them has drifted.
const docs = join(import.meta.dirname, '..', 'docs');
writeFileSync(join(docs, 'configuration.md'), configurationPage());
writeFileSync(join(docs, 'versions.md'), versionsPage());
