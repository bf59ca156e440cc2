import type { FactEntry, FactValue, Unit } from '../model/fact.ts';
import { unknownName } from './problem.ts';
import { show } from './shape-problems.ts';

export type Read<T> = { readonly kind: 'read'; readonly value: T } | { readonly kind: 'bad'; readonly message: string };

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

/** How a value of each unit is written in a playbook or a case. */
const WRITTEN: Readonly<Record<Unit, string>> = {
  'yes-no': 'true or false',
  share: 'a share from 0 to 1, such as 0.95',
  bytes: 'a size such as 16GiB',
  duration: 'a duration such as 10m',
  time: 'a time in milliseconds since 1970',
  count: 'a whole number',
  tokens: 'a whole number of tokens',
  ratio: 'a number',
  text: 'text',
  choice: 'one of its words',
};

/** Reads a value as the unit of the fact demands: sizes become bytes, durations seconds. */
export function readValue(entry: FactEntry, raw: unknown): Read<FactValue> {
  const value = READERS[entry.unit](raw, entry);
  if (value !== undefined) return { kind: 'read', value };
  return { kind: 'bad', message: misfit(entry, raw) };
}

const READERS: Readonly<Record<Unit, (raw: unknown, entry: FactEntry) => FactValue | undefined>> = {
  'yes-no': (raw) => (typeof raw === 'boolean' ? raw : undefined),
  share: (raw) => (isNumber(raw) && raw >= 0 && raw <= 1 ? raw : undefined),
  bytes: readSize,
  duration: readDuration,
  time: (raw) => (isNumber(raw) ? raw : undefined),
  count: whole,
  tokens: whole,
  ratio: (raw) => (isNumber(raw) ? raw : undefined),
  text: (raw) => (typeof raw === 'string' ? raw : undefined),
  choice: (raw, entry) => (typeof raw === 'string' && (entry.values ?? []).includes(raw) ? raw : undefined),
};

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
  return `${entry.id} is ${WRITTEN[entry.unit]}, and ${show(raw)} is none${hint}`;
}

function hintFor(unit: Unit, raw: unknown): string {
  if (unit === 'yes-no' && (raw === 'yes' || raw === 'no')) return `; write ${raw === 'yes' ? 'true' : 'false'}`;
  if (unit === 'share') {
    const percent = typeof raw === 'string' ? Number(/^(\d+(?:\.\d+)?) ?%$/.exec(raw)?.[1] ?? Number.NaN) : raw;
    if (isNumber(percent) && percent > 0 && percent <= 100) return `; for ${percent} % write ${percent / 100}`;
  }
  return '';
}
