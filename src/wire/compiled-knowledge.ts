import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { ProfileBook } from '../budget/profiles.ts';
import { isReadBy, PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { ReferenceTables } from '../model/reference-tables.ts';
import type { Catalogues, Offer, Playbook } from '../playbook/compiled.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import type { CompiledSignatures } from '../read/log/compile.ts';

/** What playbook folders hold, compiled. */
export type InForce = {
  readonly playbook: Playbook;
  readonly signatures: CompiledSignatures;
  readonly book: ProfileBook;
  /** Of all files, by `hashOfFiles`. */
  readonly hash: string;
  /** The texts that signatures and profiles were read from: those that stay the same are not read again. */
  readonly signaturesText: string;
  readonly bookText: string;
  readonly tables: ReferenceTables;
};

/** Written by scripts/build.ts next to the bundle: the hash of the built-in files, then what they hold. */
export const COMPILED_BY_BUILD = 'knowledge.bin';

const HASH_BYTES = 64;

/** All of it as bytes. Actions are code, so their names stand for them: what is given can no longer be used. */
export function writeCompiled(inForce: InForce): Buffer {
  for (const offer of offersOf(inForce.playbook)) offer.action = (offer.action as Offer['action']).id;
  // Only the lint reads the lines that a signature must match.
  const { wholeGate, endsGate } = inForce.signatures;
  const matchers = [wholeGate, endsGate].flatMap(({ owners }) => [...owners.values()].flat());
  for (const { signature } of matchers) Object.assign(signature, { must: [], mustNot: undefined, note: undefined });
  return Buffer.concat([Buffer.from(inForce.hash), serialize({ ...inForce, signaturesText: '', bookText: '' })]);
}

/** What the build has compiled, where these are the very files; undefined for others, for thresholds of one's own, and where there is no bundle. */
export function readCompiled(
  files: readonly PlaybookSource[],
  { actions, thresholds }: Catalogues,
  bytes = readBytes(),
): InForce | undefined {
  if (Object.keys(thresholds ?? {}).length > 0) return undefined;
  if (bytes?.toString('latin1', 0, HASH_BYTES) !== hashOfFiles(files)) return undefined;
  const inForce = deserialize(bytes.subarray(HASH_BYTES)) as InForce;
  const byId = new Map<unknown, Offer['action']>(actions.map((action) => [action.id, action]));
  for (const offer of offersOf(inForce.playbook)) offer.action = byId.get(offer.action) ?? offer.action;
  return inForce;
}

type Swapped = { action: unknown };

function offersOf({ findings, offers }: Playbook): Iterable<Swapped> {
  return new Set<Swapped>([...findings.flatMap((finding) => finding.offers), ...offers]);
}

function readBytes(): Buffer | undefined {
  if (import.meta.url.endsWith('.ts')) return undefined;
  try {
    return readFileSync(new URL(COMPILED_BY_BUILD, import.meta.url));
  } catch {
    return undefined;
  }
}

/** The same for the same files; what nothing but the cases reads does not count. */
export function hashOfFiles(files: readonly PlaybookSource[]): string {
  const read = files.filter(({ path }) => isReadBy(path) && !PLAYBOOK_PATHS.cases.test(path));
  return hash('sha256', read.map(({ path, text }) => `${path}\0${text.length}\0${text}`).join('\0'));
}
