import { defaultRange } from '../model/default-table.ts';
import { stateOfFeature } from '../model/feature-table.ts';
import { flagOf, readVersion } from '../model/flag-table.ts';
import { type Knobs, knobsOf } from './engine-knobs.ts';
import { type Figures, type SummedEngine, settingOf } from './figures.ts';

/** What 1.0 of a fraction of the card is, in bytes: the card, or what was free of it before the load; undefined where that is not known. */
export function wholeOf({ knobs, figures }: Pick<SummedEngine, 'knobs' | 'figures'>): number | undefined {
  const { totalBytes, loadFreeBytes } = figures;
  const whole = knobs.ofFreeBeforeLoad === true ? (loadFreeBytes ?? totalBytes) : totalBytes;
  return whole !== undefined && whole > 0 ? whole : undefined;
}

/** Of the card, the least that leaves a pool after the load, where SGLang took none: one that was sized was not refused. */
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
