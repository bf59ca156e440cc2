import { fileURLToPath } from 'node:url';
import { ACTION_CATALOGUE } from '../actions/catalogue.ts';
import type { EngineEvidence } from '../app/budget.ts';
import { type DiagnoseDeps, diagnoseSource, judgeEngine, readFacts } from '../app/diagnose.ts';
import type { Finding } from '../app/investigate.ts';
import type { Clock, SnapshotSource } from '../app/ports.ts';
import { ADVICE_FACTS } from '../budget/advice-facts.ts';
import type { ProfileBook } from '../budget/profiles.ts';
import { FACT_CATALOGUE } from '../facts/derive-facts.ts';
import { readPlaybookFiles } from '../folder/playbook-files.ts';
import { OomError, toOomError } from '../model/errors.ts';
import type { Facts } from '../model/fact.ts';
import type { CauseFinder } from '../model/log-reading.ts';
import { type Myth, mythKey } from '../model/myth.ts';
import { nearest } from '../model/nearest.ts';
import type { Phrase } from '../model/phrase.ts';
import type { Playbook } from '../playbook/compiled.ts';
import { diagnose } from '../playbook/diagnose.ts';
import { PlaybookHolder } from '../playbook/holder.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import { parsePhrases } from '../playbook/phrases.ts';
import { createCauseFinder } from '../read/log/cause-finder.ts';
import { type CompiledPhrases, compilePhrases } from '../read/log/compile.ts';
import { profilesAmong, readProfiles } from './profiles.ts';
import { openReadByBuild } from './read-by-build.ts';

export const CATALOGUES = { facts: [...FACT_CATALOGUE, ...ADVICE_FACTS], actions: ACTION_CATALOGUE };

export type ReloadOutcome =
  | { readonly kind: 'taken' | 'same'; readonly version: number }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** Playbook and phrases in force, and what is done with them. */
export type Knowledge = {
  diagnose(source: SnapshotSource): Promise<Finding>;
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
  readonly phrasesText: string;
} & BookInForce;

type BookInForce = { readonly book: ProfileBook; readonly bookText: string };

/** Loads playbook, phrases and profiles; a service that must answer meanwhile gives its clock. Throws OomError `bad-playbook` with the first problems. */
export async function loadKnowledge(dirs: readonly string[], clock?: Pick<Clock, 'breathe'>): Promise<Knowledge> {
  const holder = new PlaybookHolder(CATALOGUES);
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
    return take(holder, await readPlaybookFiles(dirs), before);
  } catch (thrown) {
    const { message, next } = toOomError(thrown);
    return [`${message} ${next}`];
  }
}

// All files are sound, or none is taken.
function take(
  holder: PlaybookHolder,
  files: readonly PlaybookSource[],
  before: InForce | undefined,
): InForce | string[] {
  const file = files.findLast(({ path }) => path === 'phrases.yaml');
  if (file === undefined) return ['phrases.yaml is missing in every playbook folder'];
  const ready = before === undefined ? openReadByBuild() : () => undefined;
  const phrases = before?.phrasesText === file.text ? before.phrases : readPhrases(file, ready(file.text));
  if (Array.isArray(phrases)) return phrases;
  const book = readBook(profilesAmong(files), before, ready);
  if (Array.isArray(book)) return book;
  const offered = holder.offer(
    files.map((one) => (one.path === 'oom/playbook.yaml' ? { ...one, value: ready(one.text) } : one)),
  );
  if (offered.kind === 'refused') return offered.problems.map((p) => `${p.file}:${p.line}: ${p.message}`);
  const isSame = offered.kind === 'same' && phrases === before?.phrases && (book as BookInForce).book === before.book;
  if (before !== undefined && isSame) return before;
  return {
    playbook: offered.playbook,
    phrases: phrases as CompiledPhrases,
    phrasesText: file.text,
    ...(book as BookInForce),
  };
}

function readBook(
  file: PlaybookSource | undefined,
  before: InForce | undefined,
  ready: (text: string) => unknown,
): BookInForce | string[] {
  const read = file && ready(file.text);
  if (file !== undefined && read !== undefined) return { book: read as ProfileBook, bookText: file.text };
  if (file !== undefined && file.text === before?.bookText) return { book: before.book, bookText: file.text };
  const parsed = readProfiles(file);
  if (parsed.kind === 'sound') return { book: parsed.book, bookText: file?.text ?? '' };
  return parsed.problems.map((p) => `${p.file}:${p.line}: ${p.message}`);
}

function readPhrases(file: PlaybookSource, ready: unknown): CompiledPhrases | string[] {
  if (ready !== undefined) return compilePhrases(ready as readonly Phrase[]);
  const { phrases, problems } = parsePhrases(file.text, `${file.root}/${file.path}`);
  if (problems.length > 0) return problems.map((p) => `${p.file}:${p.line}: ${p.message}`);
  return compilePhrases(phrases);
}

function badPlaybook(problems: readonly string[]): OomError {
  const more = problems.length > 5 ? ` (and ${problems.length - 5} more)` : '';
  return new OomError('bad-playbook', `The playbook is wrong:\n${problems.slice(0, 5).join('\n')}${more}`, {
    next: 'Run `oom playbook lint` for all of it.',
  });
}
