import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_CATALOGUE } from '../../src/actions/catalogue.ts';
import type { SnapshotSource } from '../../src/app/ports.ts';
import { changeSource } from '../../src/app/triage/changed-snapshot.ts';
import { readFacts } from '../../src/app/triage/diagnose.ts';
import { ADVICE_FACTS } from '../../src/budget/advice-facts.ts';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import { readFolder } from '../../src/folder/read-folder.ts';
import type { Facts } from '../../src/model/fact.ts';
import { PLAYBOOK_PATHS } from '../../src/model/playbook-paths.ts';
import { readCases } from '../../src/playbook/cases-format.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { loadPlaybook } from '../../src/playbook/load-playbook.ts';
import { filesInForce } from '../../src/playbook/merge.ts';
import type { ReadIncident } from '../../src/playbook/run-cases.ts';
import { compileSignatures } from '../../src/read/log/compile.ts';
import { BOOK } from './book.ts';
import { FILES, PLAYBOOKS, SIGNATURES } from './built-in.ts';

export { BOOK } from './book.ts';
export { FILES, PLAYBOOKS, SIGNATURES } from './built-in.ts';

export const CATALOGUES = { facts: [...FACT_CATALOGUE, ...ADVICE_FACTS], actions: ACTION_CATALOGUE };
export const INCIDENTS = readdirSync(join(PLAYBOOKS, 'oom/incidents'));

export const COMPILED_SIGNATURES = compileSignatures(SIGNATURES);

export const COMPILED = loadPlaybook(FILES, CATALOGUES);

/** The shipped cases by file, with what is wrong with them. */
export const CASES = filesInForce(FILES, PLAYBOOK_PATHS.cases).map((file) => readCases(file, CATALOGUES));

/** The facts of a shipped incident, with its files changed. */
export const readIncident: ReadIncident = async (name, change) =>
  readFacts(
    await changeSource(await readFolder(join(PLAYBOOKS, 'oom/incidents', name)), change),
    COMPILED_SIGNATURES,
    BOOK,
  );

/** The files of a shipped incident. */
export function filesOfIncident(name: string): Readonly<Record<string, string>> {
  const folder = join(PLAYBOOKS, 'oom/incidents', name);
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file), 'utf8')]));
}

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
