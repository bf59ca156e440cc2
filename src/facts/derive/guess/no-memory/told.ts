import { FAILS, HINTS, type Read } from '../family.ts';
import { APART, OF_SEVERAL, UNREACHED } from './apart.ts';
import { CRASHES, FAULTS } from './breaks.ts';
import { isNearlyFull } from './levels.ts';
import { FULL_POOL, REFUSED_REQUEST, SLOW } from './load.ts';
import { isNormal, isSettled } from './normal.ts';
import { tellsOfEnd, tellsOfFailure, tellsOfLack } from './outcome.ts';
import { PATIENCE } from './patience.ts';
import { PLACES } from './places.ts';
import { DEVICES_UNSEEN, SET_UP } from './set-up.ts';
import { STILL, TAKES_NOBODY } from './stands-still.ts';
import { likely, type Tale } from './tale.ts';

type Told = { readonly text: string; readonly from: Read['from'] };

const OUTWEIGHS = FAILS + 1;

const TALES: readonly Tale[] = [
  ...FAULTS,
  ...DEVICES_UNSEEN,
  ...APART,
  ...SET_UP,
  ...PATIENCE,
  ...REFUSED_REQUEST,
  ...PLACES,
  ...CRASHES,
  ...UNREACHED,
];

// Good where nothing ended: whoever waits or is slow is alive.
const ALIVE: readonly Tale[] = [...FULL_POOL, ...SLOW];

/** What people tell of something that went wrong and is no memory, or did not go wrong at all. */
export function readNoMemory(lines: readonly Told[]): readonly Read[] {
  const fails = lines.some(({ text }) => tellsOfFailure(text));
  const lacks = lines.some(({ text }) => tellsOfLack(text));
  const settled = { ...likely('none.other'), score: OUTWEIGHS, tells: isSettled };
  const read = readTales(lines, fails ? TALES : [...TALES, ...ALIVE, settled]);
  return lacks ? read.map((one) => ({ ...one, score: Math.min(one.score, HINTS) })) : read;
}

/** How many ranks there are, and whether figures of a memory stand beside what is told. */
type About = { readonly ranks: number; readonly ofMemory: boolean };

/** What is told of something that neither works nor ends, and of memory that is as it should be: good where nothing else is told. */
export function readWaits(lines: readonly Told[], { ranks, ofMemory }: About): readonly Read[] {
  const fails = lines.some(({ text }) => tellsOfFailure(text));
  const ends = lines.some(({ text }) => tellsOfEnd(text) || isNearlyFull(text));
  const several = ranks > 1 || lines.some(({ text }) => OF_SEVERAL.test(text));
  const cause = several ? 'none.comm' : 'none.other';
  const still = { ...STILL, starting: cause, serving: cause } as const;
  const normal = { ...likely('none.other'), score: HINTS, tells: (text: string) => isNormal(text, ofMemory) };
  return readTales(lines, [...(ends ? [] : [TAKES_NOBODY, still]), ...(fails ? [] : [normal])]);
}

function readTales(lines: readonly Told[], tales: readonly Tale[]): readonly Read[] {
  return tales.flatMap(({ starting, serving, score, tells }) => {
    const told = lines.find(({ text }) => tells(text));
    return told === undefined
      ? []
      : [{ family: { plane: 'none' as const, starting, serving }, score, from: told.from }];
  });
}
