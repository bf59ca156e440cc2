import fc from 'fast-check';
import { summedState } from '../../src/app/budget/budget.ts';
import { startWith } from '../../src/app/budget/profile-of-finding.ts';
import { readEngineEvidence } from '../../src/app/triage/diagnose.ts';
import { parseQuantity } from '../../src/model/quantity.ts';
import { nextItems } from '../../src/report/words/confidence.ts';
import { type Met, met, metRaw, profileOf } from './raw-cards.ts';
import { aFigured } from './remedy-fits.ts';
import { aSnapshot, BOOK, COMPILED_SIGNATURES } from './shipped.ts';

const title = ({ name, diagnosis }: Met) => `${name}: ${diagnosis.verdict.finding}`;

/** Why the engine would not start with what is offered, where it is not refused as it stands. */
async function refused(one: Met): Promise<string[]> {
  const state = summedState(await readEngineEvidence(one.source, COMPILED_SIGNATURES, BOOK), BOOK);
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

/** What does not hold of what cards offer: of every `step`th incident and `count` engines with their figures. */
export async function notHeld({ step, count }: { readonly step: number; readonly count: number }): Promise<string[]> {
  const figured = fc.sample(aFigured, { numRuns: count, seed: 7717 });
  const made = await Promise.all(figured.map(({ name, files }) => met(name, aSnapshot(files))));
  const all = [...(await metRaw(step)), ...made];
  return [...(await Promise.all(all.map(refused))).flat(), ...all.flatMap(beyondNode), ...all.flatMap(atOdds)];
}
