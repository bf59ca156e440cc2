import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configurationPage } from '../src/config/page.ts';

// Pages that are made from the code. A test fails where one of them has drifted.
writeFileSync(join(import.meta.dirname, '..', 'docs', 'configuration.md'), configurationPage());
