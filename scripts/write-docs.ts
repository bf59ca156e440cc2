import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from './configuration-page.ts';
import { versionsPage } from './versions-page.ts';

// Pages that are made from the code. A test fails where one of them has drifted.
const docs = join(import.meta.dirname, '..', 'docs');
writeFileSync(join(docs, 'configuration.md'), configurationPage());
writeFileSync(join(docs, 'versions.md'), versionsPage());
