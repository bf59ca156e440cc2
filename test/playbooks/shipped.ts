import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ACTION_CATALOGUE } from '../../src/actions/catalogue.ts';
import type { SnapshotSource } from '../../src/app/ports.ts';
import { FACT_CATALOGUE } from '../../src/facts/catalogue.ts';
import { compilePhrases } from '../../src/facts/scan/compile.ts';
import type { Facts } from '../../src/model/fact.ts';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { parsePhrases } from '../../src/playbook/phrases.ts';

export const PLAYBOOKS = join(import.meta.dirname, '../../playbooks');
export const CATALOGUES = { facts: FACT_CATALOGUE, actions: ACTION_CATALOGUE };
export const INCIDENTS = readdirSync(join(PLAYBOOKS, 'oom/incidents'));

export const PHRASES = parsePhrases(readFileSync(join(PLAYBOOKS, 'phrases.yaml'), 'utf8'), 'phrases.yaml').phrases;
export const COMPILED_PHRASES = compilePhrases(PHRASES);

const text = readFileSync(join(PLAYBOOKS, 'oom/playbook.yaml'), 'utf8');
export const COMPILED = compilePlaybook({ path: 'oom/playbook.yaml', text }, CATALOGUES);

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
