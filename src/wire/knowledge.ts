import { fileURLToPath } from 'node:url';
import { ACTION_CATALOGUE } from '../actions/catalogue.ts';
import type { EngineEvidence } from '../app/budget/budget.ts';
import type { Clock, SnapshotSource } from '../app/ports.ts';
import { type DiagnoseDeps, diagnoseSource, judgeEngine, readFacts } from '../app/triage/diagnose.ts';
import type { Diagnosed } from '../app/triage/investigate.ts';
import { ADVICE_FACTS } from '../budget/advice-facts.ts';
import type { ProfileBook } from '../budget/profiles.ts';
import { FACT_CATALOGUE } from '../facts/derive-facts.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { OomError, toOomError } from '../model/errors.ts';
import type { Facts } from '../model/fact.ts';
import type { CauseFinder } from '../model/log-reading.ts';
import { type Myth, mythKey } from '../model/myth.ts';
import { nearest } from '../model/nearest.ts';
import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import { type ReferenceTables, useTables } from '../model/reference-tables.ts';
import type { Catalogues, Playbook } from '../playbook/compiled.ts';
import { diagnose } from '../playbook/diagnose.ts';
import { PlaybookHolder } from '../playbook/holder.ts';
import { filesInForce, type PlaybookSource } from '../playbook/merge.ts';
import { parsePhrases } from '../playbook/phrases.ts';
import type { Problem } from '../playbook/problem.ts';
import type { TextFile } from '../playbook/yaml-source.ts';
import { createCauseFinder } from '../read/log/cause-finder.ts';
import { type CompiledPhrases, compilePhrases } from '../read/log/compile.ts';
import { withValues } from './parsed-files.ts';
import { parseProfiles } from './profiles.ts';
import { takeTables } from './reference-tables.ts';

export const CATALOGUES = { facts: [...FACT_CATALOGUE, ...ADVICE_FACTS], actions: ACTION_CATALOGUE };

export type ReloadOutcome =
  | { readonly kind: 'taken' | 'same'; readonly version: number }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Playbook and phrases in force, and what is done with them. */
export type Knowledge = {
  diagnose(source: SnapshotSource): Promise<Diagnosed>;
  facts(source: SnapshotSource): Promise<Facts>;
  /** The facts, what the engine was told, and what is found. */
  engine(source: SnapshotSource): Promise<EngineEvidence>;
  scanner(): CauseFinder;
  /** The remedy that is no remedy, by any word for it. */
  myth(word: string): Myth | undefined;
  /** The name of the one that is most like a word, if one is. */
  mythNear(word: string): string | undefined;
  /** Reads the files again; a wrong one changes nothing. */
  reload(): Promise<ReloadOutcome>;
};

// One level below the package root, in the source as in the bundle.
const SHIPPED = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../playbooks' : '../playbooks', import.meta.url),
);

/** The shipped playbook folder, then a team's own ones. */
export function playbookDirs(own: readonly string[]): readonly string[] {
  return [SHIPPED, ...own];
}

type InForce = {
  readonly playbook: Playbook;
  readonly phrases: CompiledPhrases;
  readonly book: ProfileBook;
  /** The texts that phrases and profiles were read from: those that stay the same are not read again. */
  readonly phrasesText: string;
  readonly bookText: string;
  readonly tables: ReferenceTables;
};

export type KnowledgeOptions = {
  /** The clock of a service that must answer meanwhile. */
  readonly clock?: Pick<Clock, 'breathe'>;
  /** What the configuration gives thresholds of the playbook. */
  readonly thresholds?: Catalogues['thresholds'];
};

/** Loads playbook, phrases and profiles. Throws OomError `bad-playbook` with the first problems, `bad-config` for a threshold that there is none of. */
export async function loadKnowledge(dirs: readonly string[], options: KnowledgeOptions = {}): Promise<Knowledge> {
  const { clock, thresholds } = options;
  const holder = new PlaybookHolder({ ...CATALOGUES, thresholds });
  const first = take(holder, await readPlaybookFiles(dirs), undefined);
  if (Array.isArray(first)) throw badPlaybook(first);
  let inForce = first as InForce;

  const deps = (): DiagnoseDeps => {
    const { playbook, phrases, book } = inForce;
    const judge = (facts: Facts, id: string) => diagnose(playbook, facts, id);
    return { phrases, judge, book, breathe: clock?.breathe };
  };

  return {
    diagnose: (source) => diagnoseSource(source, deps()),
    facts: (source) => readFacts(source, inForce.phrases, inForce.book),
    engine: (source) => judgeEngine(source, deps()),
    myth: (word) => inForce.playbook.myths.find(({ keys }) => keys.includes(mythKey(word)))?.myth,
    mythNear: (word) =>
      nearest(
        mythKey(word),
        inForce.playbook.myths.flatMap(({ keys }) => keys),
      ),
    scanner: () => createCauseFinder(inForce.phrases),
    async reload() {
      const before = inForce;
      const next = await readAgain(holder, dirs, before);
      if (Array.isArray(next)) return { kind: 'refused', problems: next };
      inForce = next as InForce;
      return { kind: next === before ? 'same' : 'taken', version: inForce.playbook.version };
    },
  };
}

// A folder that is being replaced may be gone for a moment: that is no reason to lose what is in force.
async function readAgain(holder: PlaybookHolder, dirs: readonly string[], before: InForce) {
  try {
    const next = take(holder, await readPlaybookFiles(dirs), before);
    if (Array.isArray(next)) useTables(before.tables);
    return next;
  } catch (thrown) {
    const { message, next } = toOomError(thrown);
    return [`${message} ${next}`];
  }
}

// All files are sound, or none is taken.
function take(
  holder: PlaybookHolder,
  sources: readonly PlaybookSource[],
  before: InForce | undefined,
): InForce | string[] {
  const files = withValues(sources);
  const tablesRead = takeTables(files);
  if (tablesRead.kind === 'refused') return told(tablesRead.problems);
  const { tables } = tablesRead;
  const phrasesRead = phrasesOf(filesInForce(files, PLAYBOOK_PATHS.signatures), before);
  if (Array.isArray(phrasesRead)) return phrasesRead;
  const bookRead = bookOf(filesInForce(files, PLAYBOOK_PATHS.profiles), before);
  if (Array.isArray(bookRead)) return bookRead;
  const offered = holder.offer(files);
  if (offered.kind === 'refused') return told(offered.problems);
  const { phrases, phrasesText } = phrasesRead as PhrasesInForce;
  const { book, bookText } = bookRead as BookInForce;
  const next = { playbook: offered.playbook, phrases, phrasesText, book, bookText, tables };
  const isSame =
    offered.kind === 'same' && phrases === before?.phrases && book === before.book && tables === before.tables;
  return isSame ? (before ?? next) : next;
}

type PhrasesInForce = Pick<InForce, 'phrases' | 'phrasesText'>;
type BookInForce = Pick<InForce, 'book' | 'bookText'>;

function phrasesOf(files: readonly TextFile[], before: InForce | undefined): PhrasesInForce | string[] {
  if (files.length === 0) return ['no playbook folder has files of signatures'];
  const phrasesText = textOf(files);
  if (before?.phrasesText === phrasesText) return before;
  const { phrases, problems } = parsePhrases(files);
  return problems.length > 0 ? told(problems) : { phrases: compilePhrases(phrases), phrasesText };
}

function bookOf(files: readonly TextFile[], before: InForce | undefined): BookInForce | string[] {
  const bookText = textOf(files);
  if (before?.bookText === bookText) return before;
  const parsed = parseProfiles(files);
  return parsed.kind === 'sound' ? { book: parsed.book, bookText } : told(parsed.problems);
}

function textOf(files: readonly TextFile[]): string {
  return files.map(({ text }) => text).join('\n');
}

function told(problems: readonly Problem[]): string[] {
  return problems.map((p) => `${p.file}:${p.line}: ${p.message}`);
}

function badPlaybook(problems: readonly string[]): OomError {
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  return new OomError('bad-playbook', `The playbook is wrong:\n${problems.slice(0, 5).join('\n')}${more}`, {
    next: 'Run `oom playbook lint` for all of it.',
  });
}
