import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { ProfileBook } from '../budget/profiles.ts';
import { isReadBy, PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { ReferenceTables } from '../model/reference-tables.ts';
import type { Catalogues, Offer, Playbook } from '../playbook/compiled.ts';
import type { PlaybookSource } from '../playbook/merge.ts';
import type { CompiledSignatures, Matcher } from '../read/log/compile.ts';
import type { Gate } from '../read/log/gate.ts';

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
  const { gateLiterals, wholeGate, endsGate } = inForce.signatures;
  const pack = createPack();
  const signatures = { gateLiterals, wholeGate: pack.gate(wholeGate), endsGate: pack.gate(endsGate), ...pack.packed() };
  const stored = { ...inForce, signatures, signaturesText: '', bookText: '' } satisfies Stored;
  return Buffer.concat([Buffer.from(inForce.hash), serialize(stored)]);
}

type NumberedGate = { readonly expression: RegExp; readonly owners: ReadonlyMap<string, readonly number[]> };

/** Matchers by number. The bytes of each are read when a line first asks for it: one log asks for a few of a thousand. */
type StoredSignatures = Pick<CompiledSignatures, 'gateLiterals'> & {
  readonly wholeGate: NumberedGate;
  readonly endsGate: NumberedGate;
  readonly bytes: Uint8Array;
  /** Where those of a matcher end. */
  readonly ends: readonly number[];
};

type Stored = Omit<InForce, 'signatures'> & { readonly signatures: StoredSignatures };

function createPack() {
  const numbers = new Map<Matcher, number>();
  const numberOf = (matcher: Matcher) => {
    const number = numbers.get(matcher) ?? numbers.size;
    numbers.set(matcher, number);
    return number;
  };
  return {
    gate: ({ expression, owners }: Gate<Matcher>): NumberedGate => {
      const parts = [...owners.keys()];
      return { expression, owners: new Map(parts.map((part) => [part, (owners.get(part) ?? []).map(numberOf)])) };
    },
    packed: () => {
      const parts = [...numbers.keys()].map((matcher) => {
        // Only the lint reads the lines that a signature must match.
        const signature = { ...matcher.signature, must: [], mustNot: undefined, note: undefined };
        return serialize({ ...matcher, signature });
      });
      let end = 0;
      return { bytes: Buffer.concat(parts), ends: parts.map(({ length }) => (end += length)) };
    },
  };
}

function unpack({ gateLiterals, wholeGate, endsGate, bytes, ends }: StoredSignatures): CompiledSignatures {
  const read: Matcher[] = [];
  const matcherOf = (number: number): Matcher => {
    read[number] ??= deserialize(bytes.subarray(ends[number - 1] ?? 0, ends[number])) as Matcher;
    return read[number];
  };
  const gateOf = ({ expression, owners }: NumberedGate): Gate<Matcher> => ({
    expression,
    owners: { keys: () => owners.keys(), get: (part) => owners.get(part)?.map(matcherOf) },
  });
  return { gateLiterals, wholeGate: gateOf(wholeGate), endsGate: gateOf(endsGate) };
}

/** What the build has compiled, where these are the very files; undefined for others, for thresholds of one's own, and where there is no bundle. */
export function readCompiled(
  files: readonly PlaybookSource[],
  { actions, thresholds }: Catalogues,
  bytes = readBytes(),
): InForce | undefined {
  if (Object.keys(thresholds ?? {}).length > 0) return undefined;
  if (bytes?.toString('latin1', 0, HASH_BYTES) !== hashOfFiles(files)) return undefined;
  const { signatures, ...stored } = deserialize(bytes.subarray(HASH_BYTES)) as Stored;
  const inForce = { ...stored, signatures: unpack(signatures) };
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
