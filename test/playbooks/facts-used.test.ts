import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import { PLAYBOOKS } from './shipped.ts';

const SOURCES = join(import.meta.dirname, '../../src');
// What shows facts to a person, or reckons with them.
const READERS = ['report', 'actions', 'budget', 'app', 'playbook'];

function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Ids of facts as a playbook writes them: in a condition, a proof, a sentence or what an offer takes. */
function inPlaybook(): ReadonlySet<string> {
  const text = readFileSync(join(PLAYBOOKS, 'oom/playbook.yaml'), 'utf8').replaceAll(/^\s*#.*$/gm, '');
  return new Set([...text.matchAll(/[a-z0-9-]+(?:\.[a-z0-9-]+)+/g)].map(([id]) => id));
}

describe('every fact of the catalogue', () => {
  it('is asked for by a question, shown by a finding or by a report, or reckoned with', () => {
    const asked = inPlaybook();
    const read = READERS.flatMap((folder) => filesIn(join(SOURCES, folder))).join('\n');
    const ids = FACT_CATALOGUE.map(({ id }) => id);

    expect(ids.filter((id) => !asked.has(id) && !read.includes(`'${id}'`))).toEqual([]);
  });
});
