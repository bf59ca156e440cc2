import { expect, it } from 'vitest';
import { readPlaybookFiles } from '../../src/folder/playbook-files.ts';
import type { Offer } from '../../src/playbook/compiled.ts';
import type { Matcher } from '../../src/read/log/compile.ts';
import type { Gate } from '../../src/read/log/gate.ts';
import { type InForce, readCompiled, writeCompiled } from '../../src/wire/compiled-knowledge.ts';
import { CATALOGUES } from '../../src/wire/knowledge.ts';
import { playbookDirs } from '../../src/wire/playbook-dirs.ts';
import { takeKnowledge } from '../../src/wire/take-knowledge.ts';

const FILES = await readPlaybookFiles(playbookDirs([]));
const offersOf = ({ playbook }: InForce): readonly Offer[] => [
  ...playbook.findings.flatMap(({ offers }) => offers),
  ...playbook.offers,
];
const expressionsOf = ({ owners }: Gate<Matcher>) =>
  [...owners.keys()].map((part) => [part, owners.get(part)?.map((of) => [of.signature.id, of.expression, of.bytes])]);

it('what the build compiles is the same when it is read, for these files alone', () => {
  const fresh = takeKnowledge(CATALOGUES, FILES, undefined) as InForce;
  const bytes = writeCompiled(takeKnowledge(CATALOGUES, FILES, undefined) as InForce);
  const read = readCompiled(FILES, CATALOGUES, bytes);
  const [first, ...others] = FILES.filter(({ path }) => path.startsWith('oom/tree/'));
  const changed = FILES.map((file) => (file === first ? { ...file, text: `${file.text}# changed\n` } : file));

  if (read === undefined) throw new Error('nothing was read');
  expect(others.length).toBeGreaterThan(0);
  expect(read.playbook.hash).toBe(fresh.playbook.hash);
  expect(read.playbook.findings.map(({ id }) => id)).toEqual(fresh.playbook.findings.map(({ id }) => id));
  expect(offersOf(read).map(({ action }) => action)).toEqual(offersOf(fresh).map(({ action }) => action));
  expect(read.tables).toEqual(fresh.tables);
  expect(read.signatures.wholeGate.expression).toEqual(fresh.signatures.wholeGate.expression);
  expect(expressionsOf(read.signatures.wholeGate)).toEqual(expressionsOf(fresh.signatures.wholeGate));
  expect(expressionsOf(read.signatures.endsGate)).toEqual(expressionsOf(fresh.signatures.endsGate));
  expect(readCompiled(changed, CATALOGUES, bytes)).toBeUndefined();
  expect(readCompiled(FILES, { ...CATALOGUES, thresholds: { 'pool-full': 0.9 } }, bytes)).toBeUndefined();
});

it('a matcher that stands behind two literals is read once, so that no line is counted twice', () => {
  const fresh = takeKnowledge(CATALOGUES, FILES, undefined) as InForce;
  const { owners } = readCompiled(FILES, CATALOGUES, writeCompiled(fresh))?.signatures.wholeGate ?? {};
  const read = [...(owners?.keys() ?? [])].flatMap((part) => owners?.get(part) ?? []);

  expect(new Set(read.map(({ signature }) => signature.id)).size).toBe(new Set(read).size);
  expect(read.length).toBeGreaterThan(new Set(read).size);
});
