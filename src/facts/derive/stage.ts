import type { Citation } from '../../model/citation.ts';
import type { LogChoice } from './choose-logs.ts';
import { type Frame, readFrames, type Stage, stageOfName } from './frames.ts';
import { citeHit, type Weighed, type Weighing } from './weigh.ts';

export type { Stage } from './frames.ts';
export type StageReading = { readonly stage: Stage; readonly from: Citation };

type Framed = { readonly stage: Stage; readonly line: number; readonly from: Citation };

// Phrases that are frames of a traceback, by the last part of their id.
const STAGE_OF_FRAME: Readonly<Record<string, Stage>> = {
  load: 'load',
  profile: 'profile',
  warmup: 'profile',
  capture: 'graph-capture',
  graph: 'graph-capture',
  'init-kv': 'kv-cache',
  pool: 'kv-cache',
  execute: 'execute',
  serving: 'execute',
  sampler: 'sampler',
  encoder: 'encoder',
};

const STARTING: ReadonlySet<Stage> = new Set(['load', 'profile', 'kv-cache', 'graph-capture']);

// A traceback of a deep model with one prefix a line is some 120 lines; beyond that it is another one.
const TRACEBACK_LINES = 150;

/**
 * The stage of the failure, by the frames around the deciding line. A frame of the start outweighs one of serving in the
 * same traceback: the profile run calls the forward pass, the forward pass never calls the profile run.
 */
export function readStage({
  weighing,
  log,
}: {
  readonly weighing: Weighing;
  readonly log: LogChoice;
}): StageReading | undefined {
  const known = weighing.all.flatMap((of): Framed[] => {
    const stage = stageOf(of);
    return stage === undefined ? [] : [{ stage, line: of.hit.line, from: citeHit(of) }];
  });
  const byPhrase = innermost(nearest(known, weighing.decisive));
  if (byPhrase !== undefined && byPhrase.stage !== 'execute') return byPhrase;
  // No phrase knows this engine's or this version's frames: their names still speak.
  const named = readFrames(log.main).map(({ stage, from }: Frame): Framed => ({ stage, line: from.line, from }));
  return innermost(nearest(named, weighing.decisive)) ?? byPhrase;
}

function innermost(near: readonly Framed[]): Framed | undefined {
  const starting = near.filter(({ stage }) => STARTING.has(stage));
  if (starting.length > 0) return starting.at(-1);
  return near.findLast(({ stage }) => stage !== 'execute') ?? near.at(-1);
}

export function isStarting(stage: Stage): boolean {
  return STARTING.has(stage);
}

function stageOf({ hit, phrase }: Weighed): Stage | undefined {
  const parts = /\.frame(?:\.([a-z-]+))?$/.exec(phrase.id);
  if (parts === null) return undefined;
  const frame = hit.captures.frame ?? hit.clean;
  const byName = stageOfName(frame);
  const byId = parts[1] === undefined ? undefined : STAGE_OF_FRAME[parts[1]];
  if (byId === undefined || byId === 'execute') return byName ?? byId;
  return byId;
}

// Above the line that decides; below it where nothing stands above, since excerpts turn the order round.
function nearest(frames: readonly Framed[], decisive: Weighed | undefined): readonly Framed[] {
  if (decisive === undefined) return firstTraceback(frames);
  const at = decisive.hit.line;
  const above = frames.filter(({ line }) => line <= at && at - line <= TRACEBACK_LINES);
  if (above.length > 0) return above;
  return frames.filter(({ line }) => line > at && line - at <= TRACEBACK_LINES);
}

function firstTraceback(frames: readonly Framed[]): readonly Framed[] {
  const first = frames[0];
  return first === undefined ? [] : frames.filter(({ line }) => line - first.line <= TRACEBACK_LINES);
}
