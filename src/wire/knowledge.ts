import { ACTION_CATALOGUE } from '../actions/catalogue.ts';
import type { EngineEvidence } from '../app/budget/budget.ts';
import type { Clock, SnapshotSource } from '../app/ports.ts';
import { type DiagnoseDeps, diagnoseSource, judgeEngine, readFacts } from '../app/triage/diagnose.ts';
import type { Diagnosed } from '../app/triage/investigate.ts';
import { ADVICE_FACTS } from '../budget/advice-facts.ts';
import { FACT_CATALOGUE } from '../facts/derive-facts.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { OomError, toOomError } from '../model/errors.ts';
import type { Facts } from '../model/fact.ts';
import type { FindingName } from '../model/feedback.ts';
import { flaggedEngines, flagNames } from '../model/flag-table.ts';
import type { CauseFinder } from '../model/log-reading.ts';
import { nearest } from '../model/nearest.ts';
import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import { useTables } from '../model/reference-tables.ts';
import { type Topic, topicKey } from '../model/topic.ts';
import type { Catalogues } from '../playbook/compiled.ts';
import { diagnose } from '../playbook/diagnose.ts';
import { nameOfFinding } from '../playbook/finding-name.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import { createCauseFinder } from '../read/log/cause-finder.ts';
import { hashOfFiles, type InForce, readCompiled } from './compiled-knowledge.ts';

export const CATALOGUES = { facts: [...FACT_CATALOGUE, ...ADVICE_FACTS], actions: ACTION_CATALOGUE };

type ReloadOutcome =
  | { readonly kind: 'taken' | 'same'; readonly version: number }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Playbook and signatures in force, and what is done with them. */
export type Knowledge = {
  diagnose(source: SnapshotSource): Promise<Diagnosed>;
  facts(source: SnapshotSource): Promise<Facts>;
  /** The facts, what the engine was told, and what is found. */
  engine(source: SnapshotSource): Promise<EngineEvidence>;
  scanner(): CauseFinder;
  /** What is explained under a word, by any word for it. */
  topic(word: string): Topic | undefined;
  /** The name of the topic, engine or flag that is most like a word, if one is. */
  topicNear(word: string): string | undefined;
  /** The names of all topics. */
  topics(): readonly string[];
  /** The findings that a verdict can name. */
  findings(): readonly FindingName[];
  /** Reads the files again; a wrong one changes nothing. */
  reload(): Promise<ReloadOutcome>;
};

export type KnowledgeOptions = {
  /** The clock of a service that must answer meanwhile. */
  readonly clock?: Pick<Clock, 'breathe'>;
  /** What the configuration gives thresholds of the playbook. */
  readonly thresholds?: Catalogues['thresholds'];
};

/** Loads playbook, signatures and profiles. Throws OomError `bad-playbook` with the first problems, `bad-config` for a threshold that there is none of. */
export async function loadKnowledge(dirs: readonly string[], options: KnowledgeOptions = {}): Promise<Knowledge> {
  const { clock, thresholds } = options;
  const catalogues = { ...CATALOGUES, thresholds };
  let inForce = await takeFirst(await readPlaybookFiles(dirs, isNoCase), catalogues);

  const deps = (): DiagnoseDeps => {
    const { playbook, signatures, book } = inForce;
    const judge = (facts: Facts, id: string) => diagnose(playbook, facts, id);
    return { signatures, judge, book, breathe: clock?.breathe };
  };

  return {
    diagnose: (source) => diagnoseSource(source, deps()),
    facts: (source) => readFacts(source, inForce.signatures, inForce.book),
    engine: (source) => judgeEngine(source, deps()),
    topic: (word) => inForce.playbook.topics.find(({ keys }) => keys.includes(topicKey(word)))?.topic,
    topicNear: (word) =>
      word.startsWith('-')
        ? nearest(word, flagNames())
        : nearest(topicKey(word), [
            ...inForce.playbook.topics.flatMap(({ keys }) => keys),
            ...flaggedEngines(),
            ...flagNames().map(topicKey),
          ]),
    topics: () => inForce.playbook.topics.map(({ topic }) => topic.id),
    findings: () => inForce.playbook.findings.map(nameOfFinding),
    scanner: () => createCauseFinder(inForce.signatures),
    async reload() {
      const before = inForce;
      const next = await readAgain(catalogues, dirs, before);
      if (Array.isArray(next)) return { kind: 'refused', problems: next };
      inForce = next as InForce;
      return { kind: next === before ? 'same' : 'taken', version: inForce.playbook.version };
    },
  };
}

function isNoCase(path: string): boolean {
  return !PLAYBOOK_PATHS.cases.test(path);
}

// What compiles playbooks is loaded only for files that the build has not compiled.
async function takeFirst(files: readonly PlaybookSource[], catalogues: Catalogues): Promise<InForce> {
  const built = readCompiled(files, catalogues);
  if (built !== undefined) {
    useTables(built.tables);
    return built;
  }
  const { takeKnowledge } = await import('./take-knowledge.ts');
  const taken = takeKnowledge(catalogues, files, undefined);
  if (Array.isArray(taken)) throw badPlaybook(taken);
  return taken as InForce;
}

// A folder that is being replaced may be gone for a moment: that is no reason to lose what is in force.
async function readAgain(catalogues: Catalogues, dirs: readonly string[], before: InForce) {
  try {
    const files = await readPlaybookFiles(dirs, isNoCase);
    if (hashOfFiles(files) === before.hash) return before;
    const { takeKnowledge } = await import('./take-knowledge.ts');
    const next = takeKnowledge(catalogues, files, before);
    if (Array.isArray(next)) useTables(before.tables);
    return next;
  } catch (thrown) {
    const { message, next } = toOomError(thrown);
    return [`${message} ${next}`];
  }
}

function badPlaybook(problems: readonly string[]): OomError {
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  return new OomError('bad-playbook', `The playbook is wrong:\n${problems.slice(0, 5).join('\n')}${more}`, {
    next: 'Run `oom playbook lint` for the full list.',
  });
}
