import { MEMORY_LIMIT, whyNotTaken } from '../model/flag-values.ts';
import type { Bound } from '../model/plan.ts';
import { formatBytes, parseQuantity } from '../model/quantity.ts';
import type { Edit, Remedy } from '../model/verdict.ts';
import { isOpen } from './open-settings.ts';
import { isProtectedFlag, flagKey as toKey } from './protected-flags.ts';

/** Why an edit may not be made. `kind` is for decisions, `says` for people. */
export type GuardProblem = {
  readonly kind: 'outside-bounds' | 'protected' | 'wrong-direction' | 'not-taken';
  readonly flag: string;
  readonly says: string;
};

/**
 * Edits that leave the profile's bounds. Where a profile has bounds, only flags that it names may be set; a flag with a
 * bound cannot be removed, since the engine's own default may lie outside.
 */
export function checkBounds(edits: readonly Edit[], bounds: readonly Bound[]): readonly GuardProblem[] {
  if (bounds.length === 0) return [];
  const byFlag = new Map(bounds.map((bound) => [toKey(bound.flag), bound]));
  return edits.flatMap((edit) => {
    const bound = byFlag.get(toKey(edit.flag));
    const says = bound === undefined ? 'the profile does not set this flag' : outsideOf(edit.to, bound);
    return says === undefined
      ? []
      : [{ kind: 'outside-bounds' as const, flag: edit.flag, says: `${edit.flag}: ${says}` }];
  });
}

function outsideOf(to: string | null, { flag, min, max }: Bound): string | undefined {
  if (min === null && max === null) return undefined;
  const range = sayRange({ flag, min, max });
  if (to === null)
    return `has to stay between ${range}, so it cannot be ${flag === MEMORY_LIMIT ? 'removed' : 'left to the engine'}`;
  const value = readNumber(flag, to);
  if (value === undefined) return `${to} is not a ${flag === MEMORY_LIMIT ? 'size such as 96Gi' : 'number'}`;
  const isInside = (min === null || value >= min) && (max === null || value <= max);
  return isInside ? undefined : `${to} is not between ${range}`;
}

/** A bound in words: `7500 and 131072`, `64 GiB and 512 GiB`. */
export function sayRange({ flag, min, max }: Bound): string {
  const say = (value: number | null): string => {
    if (value === null) return 'any';
    return flag === MEMORY_LIMIT ? formatBytes(value) : String(value);
  };
  return `${say(min)} and ${say(max)}`;
}

/** Edits to values that the flag cannot take at all, whatever its bounds; `engine` undefined: that no engine's could. */
export function checkTaken(edits: readonly Edit[], engine: string | undefined): readonly GuardProblem[] {
  return edits.flatMap(({ flag, to }) => {
    const says = to === null ? undefined : whyNotTaken(engine, flag, to);
    return says === undefined ? [] : [{ kind: 'not-taken' as const, flag, says }];
  });
}

/** Edits against the direction that the signature demands: a remedy that raises is never turned into one that lowers. */
export function checkDirection(edits: readonly Edit[], direction: Remedy['direction']): readonly GuardProblem[] {
  // The direction is that of the main knob, which stands first.
  const [main] = edits;
  if (main === undefined || (direction !== 'raise' && direction !== 'lower')) return [];
  const from = readNumber(main.flag, main.from ?? '');
  const to = readNumber(main.flag, main.to ?? '');
  // An engine's own default is not known here, so nothing can be said about the way to or from it.
  if (from === undefined || to === undefined || from === to) return [];
  const goes = to > from ? 'raise' : 'lower';
  if (goes === direction) return [];
  const says = `${main.flag}: the finding needs it ${direction === 'raise' ? 'raised' : 'lowered'}, and ${main.from} to ${main.to} does the opposite`;
  return [{ kind: 'wrong-direction', flag: main.flag, says }];
}

/** Edits of what no action may change: what is served, where it listens, secrets, and variables on no list. */
export function checkProtected(edits: readonly Edit[]): readonly GuardProblem[] {
  return edits.flatMap(({ flag, to }) => {
    const why = isProtectedVariable(flag) ?? (isClosedFlag(flag, to) ? 'cannot be changed by a button' : undefined);
    return why === undefined ? [] : [{ kind: 'protected' as const, flag, says: `${flag} ${why}` }];
  });
}

function isClosedFlag(flag: string, to: string | null): boolean {
  return isProtectedFlag(flag, to) || (flag.startsWith('-') && !isOpen(flag, to));
}

function isProtectedVariable(flag: string): string | undefined {
  if (flag.startsWith('-') || flag.includes('.')) return undefined;
  return isOpen(flag, '') ? undefined : 'is not a variable that a button may set';
}

const QUANTITY_FLAG = /^resources\./;
// `8k` is 8000 and `8K` 8192 to vLLM, `9m` nine million: what a quantity of Kubernetes makes of them is something else.
const SUFFIXES: Readonly<Record<string, number>> = {
  '': 1,
  k: 1e3,
  m: 1e6,
  g: 1e9,
  t: 1e12,
  K: 2 ** 10,
  M: 2 ** 20,
  G: 2 ** 30,
  T: 2 ** 40,
};

// An exponent is a number to us, and the end of the start to an engine that wants a whole one.
function readNumber(flag: string, text: string): number | undefined {
  if (QUANTITY_FLAG.test(flag)) return parseQuantity(text);
  const [, digits, suffix = ''] = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))([kmgtKMGT])?$/.exec(text.trim()) ?? [];
  return digits === undefined ? undefined : Number(digits) * (SUFFIXES[suffix] ?? 1);
}
