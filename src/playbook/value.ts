import type { FactEntry, FactValue, Unit } from '../model/fact.ts';
import { unknownName } from './problem.ts';
import { show } from './shape-problems.ts';

type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'bad'; readonly message: string };

const SIZES: Readonly<Record<string, number>> = {
  B: 1,
  KiB: 2 ** 10,
  MiB: 2 ** 20,
  GiB: 2 ** 30,
  TiB: 2 ** 40,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  TB: 1e12,
};
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

type Reader = (raw: unknown, entry: FactEntry) => FactValue | undefined;

/** How a value of each unit is written in a playbook or a case, and how it is read. */
const UNITS: Readonly<Record<Unit, readonly [written: string, read: Reader]>> = {
  'yes-no': ['true or false', (raw) => (typeof raw === 'boolean' ? raw : undefined)],
  share: ['a share from 0 to 1, such as 0.95', (raw) => (isNumber(raw) && raw >= 0 && raw <= 1 ? raw : undefined)],
  bytes: ['a size such as 16GiB', readSize],
  duration: ['a duration such as 10m', readDuration],
  time: ['a time in milliseconds since 1970', number],
  count: ['a whole number', whole],
  tokens: ['a whole number of tokens', whole],
  ratio: ['a number', number],
  text: ['text', (raw) => (typeof raw === 'string' ? raw : undefined)],
  choice: ['one of its words', (raw, { values = [] }) => values.find((word) => word === raw)],
};

/** Reads a value as the unit of the fact demands: sizes become bytes, durations seconds. */
export function readValue(entry: FactEntry, raw: unknown): Read<FactValue> {
  const value = UNITS[entry.unit][1](raw, entry);
  return value === undefined ? { kind: 'bad', message: misfit(entry, raw) } : { kind: 'read', value };
}

function number(raw: unknown): number | undefined {
  return isNumber(raw) ? raw : undefined;
}

function whole(raw: unknown): number | undefined {
  return isNumber(raw) && Number.isInteger(raw) && raw >= 0 ? raw : undefined;
}

function isNumber(raw: unknown): raw is number {
  return typeof raw === 'number' && Number.isFinite(raw);
}

/** `16GiB`, `1.5TiB`, `20MB` or 0, in bytes. */
export function readSize(raw: unknown): number | undefined {
  if (raw === 0) return 0;
  const parts = typeof raw === 'string' ? /^(\d+(?:\.\d+)?) ?([KMGT]?i?B)$/.exec(raw) : null;
  const factor = SIZES[parts?.[2] ?? ''];
  return factor === undefined ? undefined : Math.round(Number(parts?.[1]) * factor);
}

/** `10m`, `1h30m`, `500ms` or 0, in seconds. */
export function readDuration(raw: unknown): number | undefined {
  if (raw === 0) return 0;
  if (typeof raw !== 'string' || !/^(\d+(\.\d+)?(ms|s|m|h|d))+$/.test(raw)) return undefined;
  let seconds = 0;
  for (const [, amount, unit] of raw.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h|d)/g)) {
    seconds += Number(amount) * (SECONDS[unit ?? ''] ?? 0);
  }
  return seconds;
}

function misfit(entry: FactEntry, raw: unknown): string {
  if (entry.unit === 'choice' && typeof raw === 'string') {
    return `${entry.id}: ${unknownName('value', raw, entry.values ?? [])}`;
  }
  const hint = hintFor(entry.unit, raw);
  return `${entry.id} is ${UNITS[entry.unit][0]}, and ${show(raw)} is not${hint}`;
}

function hintFor(unit: Unit, raw: unknown): string {
  if (unit === 'yes-no' && (raw === 'yes' || raw === 'no')) return `; write ${raw === 'yes' ? 'true' : 'false'}`;
  if (unit === 'share') {
    const percent = typeof raw === 'string' ? Number(/^(\d+(?:\.\d+)?) ?%$/.exec(raw)?.[1] ?? Number.NaN) : raw;
    if (isNumber(percent) && percent > 0 && percent <= 100) return `; for ${percent}% write ${percent / 100}`;
  }
  return '';
}
