import type { FindingName } from '../../model/feedback.ts';
import type { Incident } from '../../model/incident.ts';
import { nearest } from '../../model/nearest.ts';
import { tablesInForce } from '../../model/reference-tables.ts';
import { Bucket, bucketOf, Cause, type Plane } from '../../model/taxonomy.ts';

type Seen = Pick<Incident, 'plane' | 'phase' | 'cause'>;

/** Which incidents have the cause that was asked for. `finding` is set where only its newest finding decides. */
export type CauseSearch =
  | { readonly kind: 'search'; readonly matches: (incident: Seen) => boolean; readonly finding: string | undefined }
  | { readonly kind: 'unknown'; readonly nearest: string | undefined };

// What people call the memory that failed.
const PLANES: Readonly<Record<Plane, string>> = {
  gpu: 'gpu cuda hip oom vram memory',
  host: 'host oomkilled oom killed ram memory',
  both: 'gpu cuda oom vram host oomkilled killed ram memory both',
  none: 'none not memory',
  unknown: 'unknown',
};

/** A taxonomy id or its beginning (`gpu.startup`), a category (`kv-cache`), a finding, or words such as `cuda oom`. */
export function searchCause(typed: string, findings: readonly FindingName[]): CauseSearch {
  const wanted = typed.toLowerCase().trim();
  const finding = findings.find(({ id }) => id === wanted);
  if (finding !== undefined) return { ...search(({ plane }) => plane === finding.plane), finding: finding.id };
  const category = Bucket.options.find((bucket) => bucket === wanted.replaceAll(' ', '-'));
  if (category !== undefined) return search((one) => bucketOf(one.cause) === category || one.plane === category);
  if (Cause.options.some((cause) => isWithin(cause, wanted))) return search(({ cause }) => isWithin(cause, wanted));
  const words = tokensOf(wanted);
  const matches = (one: Seen): boolean => hasAll(tokensOf(wordsOf(one)), words);
  if (words.length > 0 && KNOWN().some(matches)) return search(matches);
  const names = [...findings.map(({ id }) => id), ...Cause.options, ...Bucket.options, 'cuda oom', 'oomkilled'];
  return { kind: 'unknown', nearest: nearest(wanted, names) };
}

function search(matches: (incident: Seen) => boolean): Extract<CauseSearch, { kind: 'search' }> {
  return { kind: 'search', matches, finding: undefined };
}

function isWithin(cause: Cause, wanted: string): boolean {
  return cause === wanted || cause.startsWith(`${wanted}.`);
}

// One incident of each cause and memory: words that fit none of them are a typo.
const KNOWN = (): readonly Seen[] => [
  ...Cause.options.map((cause): Seen => {
    const [plane] = cause.split('.');
    return { plane: plane === 'gpu' || plane === 'host' || plane === 'none' ? plane : 'unknown', phase: 'n/a', cause };
  }),
  { plane: 'both', phase: 'n/a', cause: 'unknown' },
];

function wordsOf({ plane, phase, cause }: Seen): string {
  const own = cause === 'unknown' ? '' : `${cause} ${tablesInForce().words.causes[cause]} ${bucketOf(cause)}`;
  return `${PLANES[plane]} ${phase} ${own}`;
}

function tokensOf(text: string): string[] {
  return text.toLowerCase().match(/[a-z0-9]+/g) ?? [];
}

function hasAll(all: readonly string[], wanted: readonly string[]): boolean {
  return wanted.every((word) => all.some((one) => one.startsWith(word)));
}
