import { distance } from 'fastest-levenshtein';
import { parsePodQuery } from './pod-query.ts';

const ACTING_VERBS = ['plan', 'approve', 'reject', 'rollback', 'abort', 'go-on', 'pause', 'resume'] as const;
const INCIDENT_VERBS = ['ack', 'resolve', 'feedback', 'history', 'export', 'fix'] as const;
const HANDOVER_VERBS = ['handover', 'silence'] as const;
const VERBS = [
  ...(['triage', 'explain', 'status', 'budget'] as const),
  ...INCIDENT_VERBS,
  'changes',
  ...HANDOVER_VERBS,
  ...ACTING_VERBS,
  'help',
] as const;
export type ActingVerb = (typeof ACTING_VERBS)[number];
export type IncidentVerb = (typeof INCIDENT_VERBS)[number];
export type HandoverVerb = (typeof HANDOVER_VERBS)[number];
export type CommandVerb = (typeof VERBS)[number];

type ParsedCommand =
  | { readonly kind: 'command'; readonly verb: CommandVerb; readonly rest: string }
  /** `nearest` is the verb that was probably meant. */
  | { readonly kind: 'unknown'; readonly word: string; readonly nearest: CommandVerb | undefined };

/** Splits what is typed after the slash. A bare pod name means triage, since at 03:00 that is what is meant. */
export function parseCommand(text: string): ParsedCommand {
  const trimmed = text.trim();
  const [first = ''] = trimmed.split(/\s+/, 1);
  if (first === '') return { kind: 'command', verb: 'help', rest: '' };
  const word = first.toLowerCase();
  const verb = VERBS.find((known) => known === word);
  if (verb !== undefined) return { kind: 'command', verb, rest: trimmed.slice(first.length).trim() };
  if (looksLikePod(trimmed)) return { kind: 'command', verb: 'triage', rest: trimmed };
  return { kind: 'unknown', word: first.slice(0, 60), nearest: nearestVerb(word) };
}

// A pod's name bears a dash and a digit, a slash before it, or a table row behind it; no verb does.
function looksLikePod(text: string): boolean {
  const parsed = parsePodQuery(text);
  return 'query' in parsed && /-.*\d|\d.*-/.test(parsed.query.pod);
}

function nearestVerb(word: string): CommandVerb | undefined {
  const ranked = VERBS.map((verb) => ({ verb, far: distance(verb, word) })).toSorted((a, b) => a.far - b.far);
  const best = ranked[0];
  return best !== undefined && best.far <= 2 ? best.verb : undefined;
}

/** What was typed, as it was meant: keyboards and chats put in long dashes, round quotes and backticks. */
export function undoTypography(text: string): string {
  return text
    .replaceAll('`', '')
    .replaceAll(/(^|\s)[–—](?=\w)/g, '$1--')
    .replaceAll(/[“”„]/g, '"')
    .trim();
}

const UNITS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time such as `30m`, `4h` or `3d`, in ms; undefined for any other text. */
export function durationOf(text: string): number | undefined {
  const [, count = '', unit = ''] = /^([1-9]\d{0,2})([mhd])$/.exec(text) ?? [];
  const size = UNITS[unit];
  return size === undefined ? undefined : Number(count) * size;
}

/** The words of what was typed. */
export function typedWords(text: string): readonly string[] {
  return undoTypography(text)
    .split(/\s+/)
    .filter((word) => word !== '');
}
