import { defaultRange } from '../model/default-table.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { flagOf, readVersion } from '../model/flag-table.ts';
import { GIB } from '../model/quantity.ts';
import { ABOVE_LEAST_FRACTION, HIGHEST_FRACTION, ROOM_OUTSIDE_BYTES } from '../model/safe-values.ts';
import { type Knobs, knobsOf } from './engine-knobs.ts';
import { cardGib, type Figures, isOn, type SummedEngine, settingOf } from './figures.ts';
import { hundredths } from './known-amount.ts';
import { bandOf, fractionIn, type ProfileBook } from './profiles.ts';

/** What 1.0 of a fraction of the GPU is, in bytes: the GPU, or what was free of it before the load; undefined where that is not known. */
export function wholeOf({ knobs, figures }: Pick<SummedEngine, 'knobs' | 'figures'>): number | undefined {
  const { totalBytes, loadFreeBytes } = figures;
  const whole = knobs.ofFreeBeforeLoad === true ? (loadFreeBytes ?? totalBytes) : totalBytes;
  return whole !== undefined && whole > 0 ? whole : undefined;
}

/** Of the GPU, the least that leaves a pool after the load, where SGLang took none: one that was sized was not refused. */
export function leastAfterLoad({
  loadFreeBytes,
  loadLeftBytes,
  kvTokens,
  kvAvailableBytes,
}: Figures): number | undefined {
  if (kvTokens !== undefined || kvAvailableBytes !== undefined) return undefined;
  if (loadFreeBytes === undefined || loadLeftBytes === undefined || loadLeftBytes >= loadFreeBytes) return undefined;
  return 1 - loadLeftBytes / loadFreeBytes;
}

/** The figure that `wholeOf` is, for words about one that is missing. */
export function wholeName({ ofFreeBeforeLoad }: Knobs): 'loadFreeBytes' | 'totalBytes' {
  return ofFreeBeforeLoad === true ? 'loadFreeBytes' : 'totalBytes';
}

/** The KV pool is (whole x fraction x `ofCard` - the rest inside) x `ofRest`. */
export type Room = { readonly ofCard: number; readonly ofRest: number };

const ALL: Room = { ofCard: 1, ofRest: 1 };

/** What an engine keeps back of its fraction. Of a release that is not known, what leaves the smaller pool. */
export function roomOf({ engine, version, settings }: Pick<SummedEngine, 'engine' | 'version' | 'settings'>): Room {
  const kept = knobsOf(engine)?.keepsBack;
  if (kept === undefined) return ALL;
  const release = readVersion(engine, version);
  const isVariable = flagOf(engine, version, kept.variable).kind !== 'absent';
  const isOfFree = release !== undefined && stateOfFeature(kept['of-free'], release) === 'always';
  const share = isVariable ? usedShare({ engine, version, settings }, kept) : kept.before;
  if (isOfFree) return { ofCard: 1, ofRest: share };
  return isVariable ? { ofCard: share, ofRest: 1 } : ALL;
}

// The server takes none but a share between 0 and 1.
function usedShare(
  { engine, version, settings }: Pick<SummedEngine, 'engine' | 'version' | 'settings'>,
  { variable, before }: NonNullable<Knobs['keepsBack']>,
): number {
  const told = settingOf(engine, settings, variable)?.number;
  if (told !== undefined && told > 0 && told < 1) return told;
  return defaultRange({ engine, version, flag: variable }, {})?.low ?? before;
}

/** By how many bytes the pool grows for each 1.0 of the fraction. */
export function growthOf(of: SummedEngine): number | undefined {
  const whole = wholeOf(of);
  const { ofCard, ofRest } = roomOf(of);
  return whole === undefined ? undefined : whole * ofCard * ofRest;
}

/** Whether the graph pool of an engine is counted inside its fraction; undefined where its version does not tell. */
export function graphsInsideFraction(engine: string, version: string | undefined): boolean | undefined {
  const feature = knobsOf(engine)?.graphsInside;
  if (feature === undefined) return false;
  const state = version === undefined ? 'depends' : stateOfFeature(feature, version);
  return state === 'depends' ? undefined : state === 'default' || state === 'always';
}

// Where activations lie outside the fraction, what has to stay there besides context and graphs.
const ACTIVATIONS_OUTSIDE_BYTES = 3 * GIB;
// Graphs of a start that has not come to capture them: with the room for the rest the 1.5 GiB that KAITO leaves of a GPU
// (pkg/model/interface.go v0.6.2).
const UNKNOWN_GRAPH_BYTES = 0.5 * GIB;

/** An engine on a GPU, as far as the bounds of its fraction depend on it. */
type OnCard = SummedEngine & { readonly book: ProfileBook };

/** What was free at the start bounds what may be asked for (vLLM from 0.9.1; older versions also count the memory of other processes on the GPU). */
export function freeFraction({ figures, knobs }: OnCard): number | undefined {
  const { freeAtStartBytes: free, totalBytes: total } = figures;
  if (free === undefined || total === undefined || total <= 0 || knobs.fractionOf !== 'total') return undefined;
  return Math.max(0, hundredths(free / total - 0.01, 'down'));
}

/** How far the book lets the fraction be raised on this GPU, whatever has to stay outside; on one of unknown memory no further than on the smallest. */
export function bookFraction({ book, engine, figures }: OnCard): number {
  const bands = fractionIn(book, engine)?.highest ?? [{ to: HIGHEST_FRACTION }];
  return bandOf(bands, cardGib(figures)) ?? Math.min(...bands.map(({ to }) => to));
}

/** How far the fraction may be raised on this GPU; undefined where nothing tells what would then stay outside. */
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
