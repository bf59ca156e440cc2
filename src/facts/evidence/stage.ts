import type { Citation } from '../../model/citation.ts';
import type { Milestone } from '../../model/engine-reader.ts';
import { Stage } from '../../model/guess-words.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { goesOn } from '../../read/log/signs-of-work.ts';
import { known } from '../../read/reading.ts';
import { fact } from '../log/draft.ts';
import { readFrames, stageOfName } from '../log/frame-stages.ts';
import { LOG } from '../log/needs.ts';
import { oncePer } from '../log/once-per.ts';
import { linesOfWaiting } from '../log/peer-death.ts';
import { lastLine, tailLines } from '../log/tail-lines.ts';
import { type Frame, isStarting } from '../log/traceback.ts';
import { defineFacts } from './define.ts';
import { readDraftModel } from './draft-model.ts';
import type { Evidence } from './evidence.ts';
import { citeHit, lineOfFailure, type Weighed } from './weigh.ts';

/** The step in which the engine failed. */
export const STAGE_FACTS = defineFacts(
  {
    'log.stage': {
      unit: 'choice',
      values: [...Stage.options, 'nothing'],
      says: 'step in which it failed',
      needs: LOG,
    },
  },
  (evidence) => {
    const stage = readStage(evidence);
    const last = lastLine(evidence.log.main);
    return { 'log.stage': stage ? fact(stage.stage, [stage.from]) : last && known('nothing', last) };
  },
);

/**
 * `serves` where a frame of the same traceback answers requests, so that no profile run called it; `tries` is the frame of
 * the part of the engine that a profile run had come to.
 */
export type StageReading = Pick<Framed, 'stage' | 'serves' | 'from' | 'tries' | 'named'>;

type Framed = {
  readonly stage: Stage;
  readonly serves?: boolean;
  readonly line: number;
  readonly from: Citation;
  readonly tries?: Framed | undefined;
  /** The engine itself names the step, in a line that is no frame. */
  readonly named?: boolean;
};

// A traceback of a deep model with one prefix a line is some 120 lines; beyond that it is another one.
const TRACEBACK_LINES = 150;

/**
 * The stage of the failure, by the frames around the deciding line. A frame of the start outweighs one of serving in the
 * same traceback: the profile run calls the forward pass, the forward pass never calls the profile run.
 */
export const readStage = oncePer((evidence: Sources): StageReading | undefined => {
  const reading = byFrames(evidence);
  return reading?.stage === 'load' && reading.named !== true ? (pastLoad(evidence) ?? reading) : reading;
});

type Sources = Pick<Evidence, 'weighing' | 'log' | 'engine'>;

function byFrames({ weighing, log }: Sources): StageReading | undefined {
  const lines = log.main === undefined ? [] : tailLines(log.main);
  const failed = endOfStack(lines, lineOfFailure(weighing, log.main));
  const end = failed ?? Number.POSITIVE_INFINITY;
  const known = weighing.all.flatMap((of): Framed[] => {
    const stage = stageOf(of);
    return stage === undefined
      ? []
      : [
          {
            stage,
            serves: hasRole(of.signature, 'frame') && hasRole(of.signature, 'served'),
            line: of.hit.line,
            from: citeHit(of),
            named: hasRole(of.signature, 'step') || !hasRole(of.signature, 'frame'),
          },
        ];
  });
  // Where no signature knows this engine's or this version's frames, their names still speak.
  const named = readFrames(log.main).map(
    ({ stage, serves, from }: Frame): Framed => ({ stage, serves, line: from.line, from }),
  );
  const waiting = linesOfWaiting(lines);
  const works = weighing.all.filter(({ signature }) => goesOn(signature)).map(({ hit }) => hit.line);
  const frames = [...known, ...named]
    .filter((one) => !waiting.has(one.line) && !isPassed(one, works, end))
    .toSorted((a, b) => a.line - b.line);
  return innermost(nearest(frames, failed));
}

// `3       0x7cb3c5bae3ab tensorrt_llm::…::allocatePools(bool) + 635`
const STACK = /^\s{0,8}\d{1,3}\s{1,12}0x[0-9a-f]{6,16} /;

// A C++ stack is printed below its error, and a Python traceback above it.
function endOfStack(lines: ReturnType<typeof tailLines>, failed: number | undefined): number | undefined {
  if (failed === undefined) return undefined;
  const below = lines.filter(({ line }) => line > failed);
  const length = below.findIndex(({ text }) => !STACK.test(cleanLine(text).clean));
  return failed + (length === -1 ? below.length : length);
}

// Constructors are called `__init__` whatever they construct: a milestone past the load outranks their frames. A draft model
// is loaded after the main one has its pool.
function pastLoad(evidence: Sources): StageReading | undefined {
  if (hasDraft(evidence)) return undefined;
  const failed = lineOfFailure(evidence.weighing, evidence.log.main) ?? Number.POSITIVE_INFINITY;
  const file = evidence.log.main?.file;
  const reached = (milestone: Milestone) =>
    evidence.engine.milestones.find(
      ({ milestone: name, from }) =>
        name === milestone && from.kind === 'line' && from.file === file && from.line <= failed,
    )?.from;
  const [graphs, pool] = [reached('graphs-begin'), reached('kv-allocated')];
  if (graphs !== undefined) return { stage: 'graph-capture', from: graphs };
  return pool && { stage: 'kv-cache', from: pool };
}

function hasDraft(evidence: Sources): boolean {
  const draft = readDraftModel(evidence);
  return draft?.kind === 'known' && draft.value === true;
}

// Whoever is at work below a step of the start did not end in it, be it that of one model of several.
function isPassed({ stage, line }: Framed, works: readonly number[], end: number): boolean {
  return isStarting(stage) && works.some((work) => work > line && work < end);
}

function innermost(near: readonly Framed[]): Framed | undefined {
  const serves = near.some((frame) => frame.serves === true);
  // Whatever a waking calls, it asks back what the engine had before.
  const waking = serves ? undefined : near.find(({ stage }) => stage === 'wake');
  if (waking !== undefined) return waking;
  const starting = serves ? [] : near.filter(({ stage }) => isStarting(stage));
  // A capture runs the forward pass of the profile run, and is no part of it (vLLM v1/worker/gpu_model_runner.py, capture_model).
  const capture = starting.findLast(({ stage }) => stage === 'graph-capture');
  if (capture !== undefined) return capture;
  // What a trial calls can look like a load (weights that are repacked on the way), and both may set up a device first.
  const trial = starting.findLast(({ stage }) => stage !== 'load' && stage !== 'device');
  if (trial !== undefined) return { ...trial, tries: triedBy(trial, near) };
  if (starting.length > 0) return starting.findLast(({ stage }) => stage === 'load') ?? starting.at(-1);
  const steps = near.filter(({ stage }) => !isStarting(stage));
  const step = steps.findLast(({ stage }) => stage !== 'execute') ?? steps.at(-1);
  return step && { ...step, serves };
}

function triedBy({ stage, line }: Framed, near: readonly Framed[]): Framed | undefined {
  if (stage !== 'profile') return undefined;
  return near.findLast((one) => one.line > line && (one.stage === 'encoder' || one.stage === 'sampler'));
}

function stageOf({ hit, signature }: Weighed): Stage | undefined {
  const told = Stage.options.find((stage) => hasRole(signature, `stage-${stage}`));
  if (!hasRole(signature, 'frame')) return told;
  const byName = stageOfName(hit.captures.frame ?? hit.clean);
  return told === undefined || told === 'execute' ? (byName ?? told) : told;
}

// Above the line that decides; below it where nothing is above: a server prints the error before the trace.
function nearest(frames: readonly Framed[], at: number | undefined): readonly Framed[] {
  if (at === undefined) return firstTraceback(frames);
  const above = frames.filter(({ line }) => line <= at && at - line <= TRACEBACK_LINES);
  if (above.length > 0) return above;
  return frames.filter(({ line }) => line > at && line - at <= TRACEBACK_LINES);
}

function firstTraceback(frames: readonly Framed[]): readonly Framed[] {
  const first = frames[0];
  return first === undefined ? [] : frames.filter(({ line }) => line - first.line <= TRACEBACK_LINES);
}
