import { defaultOf } from '../../model/default-table.ts';
import {
  type Cited,
  type EngineClues,
  type EngineInput,
  type EngineReader,
  type EngineReading,
  MILESTONES,
  type Milestone,
} from '../../model/engine-reader.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { readArguments } from './arguments.ts';
import { citeHit, type PlacedHit, readFigures } from './figures.ts';
import { versionOfImage } from './image-version.ts';
import { isHelperImage, startsHelper } from './program-names.ts';

/** What sets one engine apart from the others. Everything else of a reader is the same for all. */
type EngineProfile = {
  readonly engine: string;
  /** Matches the name as people and labels write it, and words of the command line. */
  readonly name: RegExp;
  /** Words that are no more than a part of an image's name or a path. */
  readonly image: RegExp;
  /** Who else prints lines of a milestone in the log of this engine: what it runs in, or on. */
  readonly others?: Readonly<Partial<Record<Milestone, readonly string[]>>>;
  /** Whose figures are the engine's own: what it starts for each model. */
  readonly runner?: string;
  /** Lines that show a request at work by their figures. */
  readonly isServing?: (hit: Hit) => boolean;
  /** The engine sends itself a request before it says that it is ready: such an answer shows no service. */
  readonly warmsUpByRequest?: boolean;
  /** The engine runs a batch of its own after the load, before it takes its pool; left out where that is not known. */
  readonly trialRun?: boolean;
  readonly isHost?: EngineReader['isHost'];
  readonly generation?: (hits: readonly PlacedHit[]) => EngineReading['generation'];
  /** Where the engine prints blocks of its pool and not tokens. */
  readonly tokensOfBlock?: (reading: EngineReading) => number | undefined;
  readonly complete?: (reading: EngineReading, hits: readonly PlacedHit[]) => EngineReading;
};

/** A reader of the engine that the profile describes. */
export function createReader(profile: EngineProfile): EngineReader {
  return {
    engine: profile.engine,
    isHost: profile.isHost === true,
    detect: (clues) => detect(profile, clues),
    read: (input) => read(profile, input),
    defaultOf: (flag, context) => defaultOf(profile.engine, flag, context),
  };
}

// A declared name outranks the command, the command the image, the image the log, the log the labels. A name that is none
// of an engine (of an operator, a platform) tells nothing, and whoever declares a host says nothing of what runs in it.
function detect(profile: EngineProfile, clues: EngineClues): number {
  const most = profile.isHost === true ? BELOW_LOG : 1;
  const isDeclared = clues.declared !== undefined && profile.name.test(clues.declared);
  return isDeclared ? most : Math.min(most, confidence(profile, clues));
}

/** Less than any line of an engine is worth. */
const BELOW_LOG = 0.58;

function confidence({ engine, name, image }: EngineProfile, clues: EngineClues): number {
  if (clues.command.some((word) => name.test(word) && !startsHelper(word))) return 0.95;
  if (clues.image !== undefined && image.test(clues.image) && !isHelperImage(clues.image)) return 0.9;
  const hits = clues.logs.flatMap((log) => log.hits);
  const isOwn = ({ signature }: Hit) => signature.engine === engine && !hasRole(signature, 'shared');
  const own = new Set(hits.filter(isOwn).map(({ id }) => id));
  if (own.size > 0) return 0.6 + 0.02 * Math.min(own.size, 10);
  if (hits.some((hit) => name.test(hit.clean))) return 0.55;
  return programLabels(clues.labels).some((value) => name.test(value)) ? 0.5 : 0;
}

/** Labels of what the pod belongs to, not of what it is (Kubernetes, recommended labels). */
const OF_OTHERS = /^app\.kubernetes\.io\/(?:part-of|managed-by)$/;

/** The values of the labels that may name what runs in a pod. */
export function programLabels(labels: EngineClues['labels']): readonly string[] {
  return Object.entries(labels).flatMap(([key, value]) => (OF_OTHERS.test(key) ? [] : [value]));
}

function read(profile: EngineProfile, input: EngineInput): EngineReading {
  const hits = input.logs.flatMap((log) => log.hits.map((hit) => ({ hit, file: log.file })));
  const generation = profile.generation?.(hits);
  const reading: EngineReading = {
    engine: profile.engine,
    version: readVersion(profile, hits, input),
    ...(profile.trialRun === undefined ? {} : { trialRun: profile.trialRun }),
    ...(generation === undefined ? {} : { generation }),
    args: readArguments({ commandWords: input.argumentWords, ...firstLog(input.logs) }),
    milestones: MILESTONES.flatMap((milestone) => {
      const first = firstOf(profile, milestone, hits);
      return first === undefined ? [] : [{ milestone, from: citeHit(first) }];
    }),
    figures: readFigures(hits.filter(({ hit }) => isOfEngine(profile, hit))),
  };
  const whole = withTokens(profile, reading);
  return profile.complete?.(whole, hits) ?? whole;
}

function isOfEngine({ engine, runner }: EngineProfile, { signature }: Hit): boolean {
  return signature.engine === engine || signature.engine === runner;
}

function withTokens({ tokensOfBlock }: EngineProfile, reading: EngineReading): EngineReading {
  const { kvBlocks, kvTokens } = reading.figures;
  const size = tokensOfBlock?.(reading);
  if (kvTokens !== undefined || kvBlocks === undefined || size === undefined) return reading;
  return { ...reading, figures: { ...reading.figures, kvTokens: { ...kvBlocks, value: kvBlocks.value * size } } };
}

function firstLog(logs: readonly LogReading[]): { log?: LogReading } {
  return logs[0] === undefined ? {} : { log: logs[0] };
}

function firstOf(profile: EngineProfile, milestone: Milestone, hits: readonly PlacedHit[]): PlacedHit | undefined {
  const from = milestone === 'served' && profile.warmsUpByRequest === true ? beginOfService(profile, hits) : 0;
  return hits.find(({ hit }, i) => i >= from && isMilestone(profile, milestone, hit));
}

// A log that shows the start shows the readiness too, if it was reached; a tail of a log may begin behind both.
function beginOfService(profile: EngineProfile, hits: readonly PlacedHit[]): number {
  const isAt =
    (milestone: Milestone) =>
    ({ hit }: PlacedHit) =>
      isLineOf(profile, milestone, hit);
  const ready = hits.findIndex(isAt('ready'));
  if (ready !== -1) return ready;
  return hits.some(isAt('started')) || hits.some(isAt('load-begin')) ? Number.POSITIVE_INFINITY : 0;
}

function isMilestone(profile: EngineProfile, milestone: Milestone, hit: Hit): boolean {
  return isLineOf(profile, milestone, hit) || (milestone === 'served' && profile.isServing?.(hit) === true);
}

function isLineOf({ engine, others }: EngineProfile, milestone: Milestone, { signature }: Hit): boolean {
  const isPrinted = signature.engine === engine || others?.[milestone]?.includes(signature.engine) === true;
  return isPrinted && hasRole(signature, milestone);
}

function readVersion(
  { engine }: EngineProfile,
  hits: readonly PlacedHit[],
  { image, imageFrom }: EngineInput,
): Cited<string> | undefined {
  const named = hits.find(({ hit }) => hit.signature.engine === engine && hit.captures.version !== undefined);
  if (named !== undefined) return { value: (named.hit.captures.version ?? '').replace(/^v/, ''), from: citeHit(named) };
  const tag = versionOfImage(engine, image);
  return tag === undefined || imageFrom === undefined ? undefined : { value: tag, from: imageFrom };
}
