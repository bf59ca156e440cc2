import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { startWith } from '../../src/app/beside-own.ts';
import { summedState } from '../../src/app/budget.ts';
import { readEngineEvidence } from '../../src/app/diagnose.ts';
import { parseQuantity } from '../../src/model/quantity.ts';
import type { Offer } from '../../src/playbook/compiled.ts';
import { fill } from '../../src/playbook/fill.ts';
import { nextItems } from '../../src/report/reasons.ts';
import { type Met, met, metRaw, profileOf } from './raw-cards.ts';
import { aFigured } from './remedy-fits.ts';
import { aSnapshot, BOOK, COMPILED, COMPILED_PHRASES } from './shipped.ts';

let all: readonly Met[];
beforeAll(async () => {
  const figured = fc.sample(aFigured, { numRuns: 60, seed: 7717 });
  const made = await Promise.all(figured.map(({ name, files }) => met(name, aSnapshot(files))));
  all = [...(await metRaw()), ...made];
});

const title = ({ name, diagnosis }: Met) => `${name}: ${diagnosis.verdict.finding}`;

/** Why the engine would not start with what is offered, where it is not refused as it stands. */
async function refused(one: Met): Promise<string[]> {
  const state = summedState(await readEngineEvidence(one.source, COMPILED_PHRASES, BOOK), BOOK);
  if (state === undefined) return [];
  const now = one.diagnosis.verdict.remedies.filter(({ kind }) => kind === 'stop-bleed');
  return [...now.map(({ edits }) => edits), profileOf(one)].flatMap((edits) => {
    const start = startWith(state, edits);
    return edits.length > 0 && start.kind === 'refuses' ? [`${title(one)}: ${start.why}`] : [];
  });
}

function beyondNode(one: Met): string[] {
  const node = one.facts.get('node.memory-allocatable');
  const most = node?.kind === 'known' ? Number(node.value) : Number.POSITIVE_INFINITY;
  return one.diagnosis.verdict.remedies
    .filter(
      ({ action, edits }) => action === 'raise-ram' && edits.some(({ to }) => (parseQuantity(to ?? '') ?? 0) > most),
    )
    .map(() => title(one));
}

/** Lines of a card that take back what another line of it says. */
function atOdds(one: Met): string[] {
  const lines = nextItems(one.diagnosis).map((spans) =>
    spans.map((span) => ('text' in span ? span.text : '')).join(''),
  );
  const has = (pattern: RegExp) => lines.some((line) => pattern.test(line));
  const raises = has(/\braise the fraction\b(?! (?:first|last))/i) && !has(/Do not raise the fraction/);
  const faults = [
    has(/Do not raise the fraction/) &&
      has(/\b(?:Or raise|Raise) the fraction\b/) &&
      'raises the fraction, and says not to',
    raises && has(/\blower the fraction\b/i) && 'raises the fraction and lowers it',
    has(/\bshorter length changes nothing\b/) &&
      has(/(?:context-length|max-model-len)\b.*→/) &&
      'shortens what changes nothing',
    has(/raising the limit of this pod (?:would|takes)/) &&
      has(/\bRaise the memory limit\b/) &&
      'raises what makes it worse',
    new Set(lines).size < lines.length && 'says a thing twice',
  ];
  return faults.flatMap((fault) => (fault === false ? [] : [`${title(one)}: ${fault}`]));
}

describe('what a card offers', () => {
  it('starts, by the sums of the engine', async () => {
    expect((await Promise.all(all.map(refused))).flat()).toEqual([]);
  });

  it('is no more memory than the node has for pods', () => {
    expect(all.some(({ diagnosis }) => diagnosis.verdict.remedies.some(({ action }) => action === 'raise-ram'))).toBe(
      true,
    );
    expect(all.flatMap(beyondNode)).toEqual([]);
  });

  it('does not take back what another line of the card says', () => {
    expect(all.flatMap(atOdds)).toEqual([]);
  });
});

const findings = COMPILED.kind === 'bad' ? [] : COMPILED.playbook.findings;

/** The offers of every finding that nothing about a fact keeps back. */
function withoutAsking(fact: string, isMeant: (offer: Offer) => boolean): readonly string[] {
  return findings.flatMap(({ id, offers }) =>
    offers.filter((one) => isMeant(one) && !JSON.stringify(one.unless ?? null).includes(`"${fact}"`)).map(() => id),
  );
}

describe('what is offered now', () => {
  it('is no restart of what has ended, in every finding of a growth or of fragments', () => {
    const restarts = ({ says }: Offer) =>
      /it (?:gives back what has (?:grown|piled up)|brings the fragments back)/.test(fill(says, new Map()));

    expect(withoutAsking('death.exit-code', restarts)).toEqual([]);
  });
});
