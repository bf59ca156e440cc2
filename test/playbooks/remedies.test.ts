import { describe, expect, it } from 'vitest';
import { checkDirection } from '../../src/actions/guards.ts';
import { diagnoseSource } from '../../src/app/triage/diagnose.ts';
import type { FactValue } from '../../src/model/fact.ts';
import { flagOf } from '../../src/model/flag-table.ts';
import type { Template } from '../../src/playbook/compiled.ts';
import { fill } from '../../src/playbook/fill.ts';
import { ENGINES, moves, tableName, withoutCommands } from './remedy-engines.ts';
import { aSnapshot, BOOK, COMPILED, COMPILED_SIGNATURES, judge, SIGNATURES } from './shipped.ts';

const refusals = SIGNATURES.filter(({ engine, causes }) => engine === 'sglang' && causes[0] === 'gpu.startup.kv-room');

it('a refusal for want of KV room in SGLang is answered with a higher fraction first and with no shorter length, which it does not hold against its pool', async () => {
  const sglang = ENGINES.find(({ name }) => name === 'sglang');
  for (const { id, must } of refusals) {
    const files = { 'previous.log': `${must[0]}\n`, 'args.txt': `${sglang?.args}\n` };
    const { diagnosis } = await diagnoseSource(aSnapshot(files), {
      signatures: COMPILED_SIGNATURES,
      judge,
      book: BOOK,
    });
    const { remedies } = diagnosis.verdict;
    const first = remedies.find(({ kind }) => kind === 'stop-bleed');

    expect([id, first && moves(first, 'sglang', 'fraction')]).toEqual([id, 'up']);
    expect(remedies.some((remedy) => moves(remedy, 'sglang', 'length') === 'down')).toBe(false);
  }
});

// Every number that an edit may be made of, on the side on which it may lie.
const NUMBERS: Readonly<Record<string, FactValue>> = {
  'engine.utilization': 0.9,
  'engine.max-model-len': 131_072,
  'engine.max-num-seqs': 256,
  'engine.max-batched-tokens': 16_384,
  'advice.max-model-len': 65_536,
  'advice.utilization-raise': 0.93,
  'advice.utilization-needed': 0.93,
  'advice.utilization-highest': 0.95,
  'advice.utilization-wanted': 0.85,
  'advice.utilization-lower': 0.85,
  'advice.utilization-beside': 0.85,
  'advice.max-model-len-lowered': 32_768,
  'advice.utilization-fit': 0.85,
  'advice.max-num-seqs': 128,
  'advice.max-batched-tokens': 8192,
  'advice.max-input-tokens': 8192,
  'ram.limit': 64 * 2 ** 30,
};

const FINDINGS = COMPILED.kind === 'bad' ? [] : COMPILED.playbook.findings;

const ALL_OFFERS = FINDINGS.flatMap((finding) =>
  finding.offers.flatMap((offer) =>
    ENGINES.flatMap((engine) =>
      engine.versions.map((version) => {
        const facts = { ...NUMBERS, 'engine.name': tableName(engine), 'engine.version': version };
        const known = (id: string): FactValue | undefined => facts[id as keyof typeof facts];
        return { finding, offer, engine, version, edits: offer.action.edits(offer.parameters, known) };
      }),
    ),
  ),
);

const wordsOf = (template: Template): string => fill(template, new Map());

describe('every offer of every finding, with all its numbers known', () => {
  it('names no flag that the engine lacks', () => {
    const edits = ALL_OFFERS.flatMap(({ finding, engine, version, edits: all }) =>
      all.map(({ flag }) => ({ flag, engine: tableName(engine), version, of: finding.id })),
    ).filter(({ flag }) => flag !== 'resources.limits.memory');

    expect(edits.filter(({ flag, engine, version }) => flagOf(engine, version, flag).kind !== 'exists')).toEqual([]);
  });

  it('goes where it says that it goes', () => {
    expect(ALL_OFFERS.flatMap(({ edits, offer }) => checkDirection(edits, offer.direction))).toEqual([]);
  });

  it('lowers no fraction where KV room was refused or it was itself the bound, and raises none anywhere else', () => {
    const wrong = ALL_OFFERS.filter(({ finding, offer, engine, edits }) => {
      // Where the fraction itself was met, with room beside it on the card, less of it is wrong as well.
      const isRefusal = finding.id.startsWith('gpu-startup-kv') || finding.id.startsWith('gpu-burst-bound');
      const remedy = { ...offer, action: offer.action.id, says: wordsOf(offer.says), edits: [...edits] };
      const way = moves(remedy, tableName(engine), 'fraction');
      return way === (isRefusal ? 'down' : 'up');
    });

    expect(wrong.map(({ finding, offer }) => `${finding.id}: ${wordsOf(offer.says)}`)).toEqual([]);
  });

  it('is told in words of no single engine', () => {
    const words = FINDINGS.flatMap(({ id, says, next, offers }) =>
      [says, ...[...next, ...offers].map((one) => one.says)].map((text) => `${id}: ${wordsOf(text)}`),
    );

    expect(words.filter((text) => /(?:^|[\s(`])--[a-z]/.test(withoutCommands(text)))).toEqual([]);
  });
});
