import type { LineCitation } from '../../model/citation.ts';
import {
  type Cited,
  type EngineArgument,
  type EngineClues,
  type EngineFigures,
  type EngineInput,
  type EngineReader,
  type EngineReading,
  MILESTONES,
  type Milestone,
} from '../../model/engine-reader.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { readArguments } from '../arguments.ts';

/** A hit with the log that it stands in. */
export type PlacedHit = { readonly hit: Hit; readonly file: string };

/** What sets one engine apart from the others. Everything else of a reader is the same for all. */
export type EngineProfile = {
  readonly engine: string;
  /** Matches the name as people and labels write it, and words of the command line. */
  readonly name: RegExp;
  /** Words that are no more than a part of an image's name or a path. */
  readonly image: RegExp;
  /** Ids of phrases that only this engine prints. */
  readonly phrases: RegExp;
  /** Phrase ids by milestone. */
  readonly milestones: Readonly<Partial<Record<Milestone, readonly string[]>>>;
  /** Lines that show a request at work by their figures. */
  readonly isServing?: (hit: Hit) => boolean;
  readonly versions?: readonly string[];
  readonly figures?: (hits: readonly PlacedHit[], args: readonly EngineArgument[]) => EngineFigures;
};

export function createReader(profile: EngineProfile): EngineReader {
  return {
    engine: profile.engine,
    detect: (clues) => detect(profile, clues),
    read: (input) => read(profile, input),
  };
}

// A declared name outranks the command, the command the image, the image the log, the log the labels. A name that is none
// of an engine (of an operator, a platform) tells nothing.
function detect({ name, image, phrases }: EngineProfile, clues: EngineClues): number {
  if (clues.declared !== undefined && name.test(clues.declared)) return 1;
  if (clues.command.some((word) => name.test(word))) return 0.95;
  if (clues.image !== undefined && image.test(clues.image)) return 0.9;
  const hits = clues.logs.flatMap((log) => log.hits);
  const own = new Set(hits.flatMap(({ id }) => (phrases.test(id) ? [id] : [])));
  if (own.size > 0) return 0.6 + 0.02 * Math.min(own.size, 10);
  if (hits.some((hit) => name.test(hit.clean))) return 0.55;
  return Object.values(clues.labels).some((value) => name.test(value)) ? 0.5 : 0;
}

function read(profile: EngineProfile, input: EngineInput): EngineReading {
  const hits = input.logs.flatMap((log) => log.hits.map((hit) => ({ hit, file: log.file })));
  const args = readArguments({ commandWords: input.argumentWords, ...firstLog(input.logs) });
  return {
    engine: profile.engine,
    version: readVersion(profile, hits, input),
    args,
    milestones: MILESTONES.flatMap((milestone) => {
      const first = hits.find(({ hit }) => isMilestone(profile, milestone, hit));
      return first === undefined ? [] : [{ milestone, from: citeHit(first) }];
    }),
    figures: profile.figures?.(hits, args) ?? {},
  };
}

function firstLog(logs: readonly LogReading[]): { log?: LogReading } {
  return logs[0] === undefined ? {} : { log: logs[0] };
}

function isMilestone({ milestones, isServing }: EngineProfile, milestone: Milestone, hit: Hit): boolean {
  if (milestones[milestone]?.includes(hit.id)) return true;
  return milestone === 'served' && isServing?.(hit) === true;
}

const IMAGE_VERSION = /:v?(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:\.?(?:post|rc)\d{1,3})?)(?=$|[-@+])/;

function readVersion(
  { versions = [] }: EngineProfile,
  hits: readonly PlacedHit[],
  { image, imageFrom }: EngineInput,
): Cited<string> | undefined {
  const named = hits.find(({ hit }) => versions.includes(hit.id) && hit.captures.version !== undefined);
  if (named !== undefined) return { value: (named.hit.captures.version ?? '').replace(/^v/, ''), from: citeHit(named) };
  const tag = IMAGE_VERSION.exec(image ?? '')?.[1];
  return tag === undefined || imageFrom === undefined ? undefined : { value: tag, from: imageFrom };
}

/** Where a hit can be looked up. */
export function citeHit({ hit, file }: PlacedHit): LineCitation {
  return { kind: 'line', file, line: hit.line, text: hit.text };
}
