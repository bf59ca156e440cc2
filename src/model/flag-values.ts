import { variableOfFlag } from './flag-table.ts';
import type { Takes } from './flags-file.ts';
import { fromTables } from './reference-tables.ts';

const SAYS: Readonly<Record<Takes, string>> = {
  count: 'a whole number from 1 on',
  'count-with-suffix': 'a whole number from 1 on, also as 8k (8000) or 8K (8192)',
  'length-or-auto': 'a whole number from 1 on, also as 8k (8000) or 8K (8192), or auto or -1',
  whole: 'a whole number from 0 on',
  'whole-or-off': 'a whole number from 0 on, or -1',
  share: 'a share above 0 and up to 1',
  positive: 'a number above 0',
  amount: 'a number from 0 on',
  memory: 'a size such as 96Gi',
};

/** The memory limit of the engine's container, which is edited together with its flags. */
export const MEMORY_LIMIT = 'resources.limits.memory';

const WHOLE = /^\+?\d{1,15}$/;
// vLLM: decimals before `k`, none before `K`.
const WITH_SUFFIX = /^(?:\d{1,12}(?:\.\d{1,9})?[kmgt]|\d{1,12}[KMGT])$/;
const SMALL: Readonly<Record<string, number>> = { k: 1e3, m: 1e6, g: 1e9, t: 1e12 };

const TAKEN: Readonly<Record<Takes, (text: string) => boolean>> = {
  count: (text) => WHOLE.test(text) && Number(text) >= 1,
  'count-with-suffix': isCount,
  'length-or-auto': (text) => isCount(text) || text === 'auto' || text === '-1',
  whole: (text) => WHOLE.test(text),
  'whole-or-off': (text) => WHOLE.test(text) || text === '-1',
  share: (text) => isDecimal(text) && Number(text) > 0 && Number(text) <= 1,
  positive: (text) => isDecimal(text) && Number(text) > 0,
  amount: (text) => isDecimal(text) && Number(text) >= 0,
  // Without a unit it would be bytes, and somebody means GiB.
  memory: (text) => /^\d{1,9}(?:\.\d{1,3})?(?:[KMGT]i|[kMGT])$/.test(text),
};

function isCount(text: string): boolean {
  if (!WITH_SUFFIX.test(text)) return TAKEN.count(text);
  const value = Number(text.slice(0, -1)) * (SMALL[text.slice(-1)] ?? 1);
  // 1.1k is 1100 and a little more to a computer.
  return value >= 1 && Math.abs(value - Math.round(value)) < 1e-6;
}

function isDecimal(text: string): boolean {
  return /^\+?(?:\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})$/.test(text);
}

/** What a flag or variable can take at all, in words; undefined for one that the table does not hold. Without an engine, any engine's. */
export function rangeOfFlag(engine: string | undefined, flag: string): string | undefined {
  const [takes] = takesOf(engine, flag);
  return takes === undefined ? undefined : SAYS[takes];
}

/** Why no engine could take a value, with what it takes; undefined where nothing is wrong, or nothing is known of the flag. */
export function whyNotTaken(engine: string | undefined, flag: string, to: string): string | undefined {
  const takes = takesOf(engine, flag);
  const [first] = takes;
  if (first === undefined || takes.some((one) => TAKEN[one](to.trim()))) return undefined;
  return `${flag} takes ${SAYS[first]}, and not ${to.slice(0, 60)}`;
}

function takesOf(engine: string | undefined, flag: string): readonly Takes[] {
  if (flag === MEMORY_LIMIT) return ['memory'];
  const all = takenByEngine();
  const own = engine === undefined ? undefined : all.get(engine.trim().toLowerCase());
  const tables = own === undefined ? [...all.values()] : [own];
  return tables.flatMap((table) => table.get(keyOf(flag)) ?? []);
}

function keyOf(flag: string): string {
  return flag.startsWith('--') ? flag.replaceAll('_', '-') : flag;
}

const takenByEngine = fromTables(
  ({ takes }): ReadonlyMap<string, ReadonlyMap<string, Takes>> =>
    new Map(
      Object.entries(takes).map(([engine, kinds]) => [
        engine,
        new Map(
          (Object.entries(kinds) as [Takes, readonly string[]][]).flatMap(([kind, names]) =>
            names
              .flatMap((name) => [name, variableOfFlag(engine, name) ?? name])
              .map((name) => [keyOf(name), kind] as const),
          ),
        ),
      ]),
    ),
);
