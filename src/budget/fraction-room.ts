import type { Knobs } from './engine-knobs.ts';
import type { Figures } from './figures.ts';

/** What 1.0 of a fraction of the card is, in bytes: the card, or what was free of it before the load; undefined where that is not known. */
export function wholeOf({ knobs, figures }: { readonly knobs: Knobs; readonly figures: Figures }): number | undefined {
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
