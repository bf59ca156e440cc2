import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_CATALOGUE } from '../../src/actions/catalogue.ts';
import { changeSource } from '../../src/app/change-source.ts';
import { readFacts } from '../../src/app/diagnose.ts';
import type { SnapshotSource } from '../../src/app/ports.ts';
import { ADVICE_FACTS } from '../../src/budget/advice-facts.ts';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Facts } from '../../src/model/fact.ts';
import { readCases } from '../../src/playbook/cases-format.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { parsePhrases } from '../../src/playbook/phrases.ts';
import type { ReadIncident } from '../../src/playbook/run-cases.ts';
import { compilePhrases } from '../../src/read/log/compile.ts';
import { BOOK } from './book.ts';

export { BOOK } from './book.ts';

export const PLAYBOOKS = join(import.meta.dirname, '../../playbooks');
export const CATALOGUES = { facts: [...FACT_CATALOGUE, ...ADVICE_FACTS], actions: ACTION_CATALOGUE };
export const INCIDENTS = readdirSync(join(PLAYBOOKS, 'oom/incidents'));

export const PHRASES = parsePhrases(readFileSync(join(PLAYBOOKS, 'phrases.yaml'), 'utf8'), 'phrases.yaml').phrases;
export const COMPILED_PHRASES = compilePhrases(PHRASES);

const text = readFileSync(join(PLAYBOOKS, 'oom/playbook.yaml'), 'utf8');
export const COMPILED = compilePlaybook({ path: 'oom/playbook.yaml', text }, CATALOGUES);

const cases = join(PLAYBOOKS, 'oom/cases');
/** The shipped cases by file, with what is wrong with them. */
export const CASES = readdirSync(cases).map((file) =>
  readCases({ path: file, text: readFileSync(join(cases, file), 'utf8') }, CATALOGUES),
);

/** The facts of a shipped incident, with its files changed. */
export const readIncident: ReadIncident = async (name, change) =>
  readFacts(
    await changeSource(await readFolder(join(PLAYBOOKS, 'oom/incidents', name)), change),
    COMPILED_PHRASES,
    BOOK,
  );

/** The walk through the shipped playbook. */
export const judge = (facts: Facts, id: string) => {
  if (COMPILED.kind === 'bad') throw new Error(COMPILED.problems.map(({ message }) => message).join('\n'));
  return diagnose(COMPILED.playbook, facts, id);
};

/** A snapshot in memory; logs come in chunks of `chunk` bytes. */
export function aSnapshot(files: Readonly<Record<string, string>>, chunk = 1024): SnapshotSource {
  const of = (file: string) => files[file] ?? '';
  return {
    id: 'a-snapshot',
    list: async () => Object.keys(files),
    read: async (file) => of(file),
    async *open(file) {
      const bytes = new TextEncoder().encode(of(file));
      for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
    },
  };
}
