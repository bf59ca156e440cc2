import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPlaybookFiles } from '../src/folder/playbook-files.ts';
import { dashboard } from '../src/monitoring/dashboard.ts';
import { prometheusRule, rulesFile } from '../src/monitoring/rules-file.ts';
import { playbookJsonSchema } from '../src/playbook/json-schema.ts';
import { CATALOGUES } from '../src/wire/knowledge.ts';
import { playbookDirs } from '../src/wire/playbook-dirs.ts';
import { takeTables } from '../src/wire/reference-tables.ts';
import { admissionPolicy } from './admission-policy.ts';
import { configurationPage } from './configuration-page.ts';
import { withTranscript } from './readme-transcript.ts';

takeTables(await readPlaybookFiles(playbookDirs([])));
// What is made from the code and the playbooks. A test fails where one of them has drifted.
const root = join(import.meta.dirname, '..');
const schema = join(root, 'playbooks/schemas/playbook.schema.json');
writeFileSync(join(root, 'docs/configuration.md'), configurationPage());
const readme = join(root, 'README.md');
writeFileSync(readme, withTranscript(readFileSync(readme, 'utf8')));
const policy = join(root, 'deploy/kubernetes/acting/admission-policy.yaml');
writeFileSync(policy, admissionPolicy(readFileSync(policy, 'utf8')));
writeFileSync(join(root, 'deploy/prometheus/rules.yaml'), rulesFile());
writeFileSync(join(root, 'deploy/prometheus/prometheus-rule.yaml'), prometheusRule());
const board = join(root, 'deploy/prometheus/dashboard.json');
writeFileSync(board, JSON.stringify(dashboard(), null, 2));
writeFileSync(schema, JSON.stringify(playbookJsonSchema(CATALOGUES), null, 2));
execFileSync(join(root, 'node_modules/.bin/biome'), ['format', '--write', schema, board], { stdio: 'inherit' });
