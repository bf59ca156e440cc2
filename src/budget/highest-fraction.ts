import { GIB } from '../model/quantity.ts';
import { ABOVE_LEAST_FRACTION, HIGHEST_FRACTION, ROOM_OUTSIDE_BYTES } from '../model/safe-values.ts';
import { cardGib, isOn, type SummedEngine, settingOf } from './figures.ts';
import { graphsInsideFraction, leastAfterLoad, roomOf, wholeOf } from './fraction-room.ts';
import { hundredths } from './known-amount.ts';
import { bandOf, fractionIn, type ProfileBook } from './profiles.ts';

// Where activations lie outside the fraction, what has to stay there besides context and graphs.
const ACTIVATIONS_OUTSIDE_BYTES = 3 * GIB;
// Graphs of a start that has not come to capture them: with the room for the rest the 1.5 GiB that KAITO leaves of a card
// (pkg/model/interface.go v0.6.2).
const UNKNOWN_GRAPH_BYTES = 0.5 * GIB;

/** An engine on a card, as far as the bounds of its fraction depend on it. */
export type OnCard = SummedEngine & { readonly book: ProfileBook };

/** What was free at the start bounds what may be asked for (vLLM from 0.9.1; a neighbour is charged in older ones as well). */
export function freeFraction({ figures, knobs }: OnCard): number | undefined {
  const { freeAtStartBytes: free, totalBytes: total } = figures;
  if (free === undefined || total === undefined || total <= 0 || knobs.fractionOf !== 'total') return undefined;
  return Math.max(0, hundredths(free / total - 0.01, 'down'));
}

/** How far the book lets the fraction be raised on this card, whatever has to stay outside; on one of unknown memory no further than on the smallest. */
export function bookFraction({ book, engine, figures }: OnCard): number {
  const bands = fractionIn(book, engine)?.highest ?? [{ to: HIGHEST_FRACTION }];
  return bandOf(bands, cardGib(figures)) ?? Math.min(...bands.map(({ to }) => to));
}

/** How far the fraction may be raised on this card; undefined where nothing tells what would then stay outside. */
export function highestFraction(on: OnCard): number | undefined {
  const { knobs } = on;
  const byCard = bookFraction(on);
  if (knobs.fractionOf !== 'total') return byCard;
  const whole = wholeOf(on);
  // An engine that names the least that it starts with knows what it needs outside.
  if (whole === undefined) return on.figures.leastFraction === undefined ? undefined : Math.min(byCard, edgeOf(on));
  const outside = ROOM_OUTSIDE_BYTES + graphsOutside(on) + (knobs.activationsInside ? 0 : ACTIVATIONS_OUTSIDE_BYTES);
  const room = hundredths(1 - outside / whole, 'down') / roomOf(on).ofCard;
  return Math.min(byCard, Math.max(0, hundredths(room, 'down')), freeFraction(on) ?? 1);
}

/** A little above the least fraction that the engine names, or that its own sum does; 0 where neither tells. */
export function edgeOf({ figures }: Pick<OnCard, 'figures'>): number {
  const least = figures.leastFraction ?? leastAfterLoad(figures);
  return least === undefined ? 0 : hundredths(least + ABOVE_LEAST_FRACTION, 'up');
}

function graphsOutside({ engine, version, knobs, settings, figures }: OnCard): number {
  if (knobs.graphsInside === undefined || graphsInsideFraction(engine, version) === true) return 0;
  if (isOn(settingOf(engine, settings, '--enforce-eager'))) return 0;
  return figures.graphBytes ?? UNKNOWN_GRAPH_BYTES;
}
