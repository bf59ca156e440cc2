import type { Weighed, Weighing } from './weigh.ts';

export type Stage = 'load' | 'profile' | 'kv-cache' | 'graph-capture' | 'execute' | 'sampler' | 'encoder';

export type StageReading = { readonly stage: Stage; readonly of: Weighed };

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

// SGLang and TGI name the stage only by the function in the frame.
const STAGE_OF_NAME: readonly (readonly [RegExp, Stage])[] = [
  [/logits|sampl|logprob/i, 'sampler'],
  [/vision|visual|image|encoder|pixel/i, 'encoder'],
  [/capture|cuda_?graph/i, 'graph-capture'],
  [/warmup|warm_up/i, 'profile'],
  [/load_model|get_model|load_weights/i, 'load'],
  [/prefill|decode|forward|generate/i, 'execute'],
];

const STARTING: ReadonlySet<Stage> = new Set(['load', 'profile', 'kv-cache', 'graph-capture']);

// A traceback of a deep model with one prefix a line is some 120 lines; beyond that it is another one.
const TRACEBACK_LINES = 150;

/**
 * The stage of the failure, by the frames around the deciding line. A frame of the start outweighs one of serving in the
 * same traceback: the profile run calls the forward pass, the forward pass never calls the profile run.
 */
export function readStage(weighing: Weighing): StageReading | undefined {
  const frames = weighing.all.flatMap((of) => {
    const stage = stageOf(of);
    return stage === undefined ? [] : [{ stage, of }];
  });
  const near = nearest(frames, weighing.decisive);
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
  const byName = STAGE_OF_NAME.find(([pattern]) => pattern.test(frame))?.[1];
  const byId = parts[1] === undefined ? undefined : STAGE_OF_FRAME[parts[1]];
  if (byId === undefined || byId === 'execute') return byName ?? byId;
  return byId;
}

// Above the line that decides; below it where nothing stands above, since excerpts turn the order round.
function nearest(frames: readonly StageReading[], decisive: Weighed | undefined): readonly StageReading[] {
  if (decisive === undefined) return firstTraceback(frames);
  const { line } = decisive.hit;
  const above = frames.filter(({ of }) => of.hit.line <= line && line - of.hit.line <= TRACEBACK_LINES);
  if (above.length > 0) return above;
  return frames.filter(({ of }) => of.hit.line > line && of.hit.line - line <= TRACEBACK_LINES);
}

function firstTraceback(frames: readonly StageReading[]): readonly StageReading[] {
  const first = frames[0];
  if (first === undefined) return [];
  return frames.filter(({ of }) => of.hit.line - first.of.hit.line <= TRACEBACK_LINES);
}
