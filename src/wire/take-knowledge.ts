import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { Catalogues } from '../playbook/compiled.ts';
import { loadPlaybook } from '../playbook/load-playbook.ts';
import { filesInForce, type PlaybookSource } from '../playbook/merge.ts';
import type { Problem } from '../playbook/problem.ts';
import { parseSignatures } from '../playbook/signatures.ts';
import type { TextFile } from '../playbook/yaml-source.ts';
import { compileSignatures } from '../read/log/compile.ts';
import { hashOfFiles, type InForce } from './compiled-knowledge.ts';
import { withValues } from './parsed-files.ts';
import { parseProfiles } from './profiles.ts';
import { takeTables } from './reference-tables.ts';

/** Reads and compiles the files of playbook folders; all are sound, or none is taken: then the problems come back. */
export function takeKnowledge(
  catalogues: Catalogues,
  sources: readonly PlaybookSource[],
  before: InForce | undefined,
): InForce | string[] {
  const files = withValues(sources);
  const tablesRead = takeTables(files);
  if (tablesRead.kind === 'refused') return told(tablesRead.problems);
  const { tables } = tablesRead;
  const signaturesRead = signaturesOf(filesInForce(files, PLAYBOOK_PATHS.signatures), before);
  if (Array.isArray(signaturesRead)) return signaturesRead;
  const bookRead = bookOf(filesInForce(files, PLAYBOOK_PATHS.profiles), before);
  if (Array.isArray(bookRead)) return bookRead;
  const loaded = loadPlaybook(files, catalogues);
  if (loaded.kind === 'bad') return told(loaded.problems);
  const { playbook } = loaded;
  return {
    ...(signaturesRead as SignaturesInForce),
    ...(bookRead as BookInForce),
    playbook,
    tables,
    hash: hashOfFiles(files),
  };
}

type SignaturesInForce = Pick<InForce, 'signatures' | 'signaturesText'>;
type BookInForce = Pick<InForce, 'book' | 'bookText'>;

function signaturesOf(files: readonly TextFile[], before: InForce | undefined): SignaturesInForce | string[] {
  if (files.length === 0) return ['no playbook folder has files of signatures'];
  const signaturesText = textOf(files);
  if (before?.signaturesText === signaturesText) return { signatures: before.signatures, signaturesText };
  const { signatures, problems } = parseSignatures(files);
  return problems.length > 0 ? told(problems) : { signatures: compileSignatures(signatures), signaturesText };
}

function bookOf(files: readonly TextFile[], before: InForce | undefined): BookInForce | string[] {
  const bookText = textOf(files);
  if (before?.bookText === bookText) return { book: before.book, bookText };
  const parsed = parseProfiles(files);
  return parsed.kind === 'sound' ? { book: parsed.book, bookText } : told(parsed.problems);
}

function told(problems: readonly Problem[]): string[] {
  return problems.map((p) => `${p.file}:${p.line}: ${p.message}`);
}

function textOf(files: readonly TextFile[]): string {
  return files.map(({ text }) => text).join('\n');
}
