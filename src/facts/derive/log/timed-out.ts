import type { Citation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { showsLife } from '../../scan/life-signs.ts';
import { fact } from '../draft.ts';
import { isDeath } from '../error/raised.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { tailLines } from '../weigh/tail-lines.ts';
import { citeHit, type Weighed } from '../weigh/weigh.ts';

// A step that a rank does not answer: it hangs, or another of its group ended on an error that is not passed on, for only one
// rank answers (vllm/v1/executor/multiproc_executor.py, WorkerProc.handle_output). That error stands above the wait.
const OF_STEP = /^vllm\.(?:die\.rpc-timeout|run\.iteration-timeout)$/;
// The front end is told at once of a core that ends (vllm/v1/engine/utils.py, wait_for_engine_startup).
const OF_START = /^vllm\.die\.ready-timeout$/;
// Ranks meet before any of them loads (torch/csrc/distributed/c10d/TCPStore.cpp).
const NOT_MET = /waiting for clients\.|\bwait timeout after \d{1,12}ms, keys/;

const FRAME = /\.frame(?:\.|$)/;
const MEMORY = /^(?:gpu|host)\b/;
const SPEAKS_OF_MEMORY = /\b(?:oom\w*|memory|ram|swap\w*|killed)\b/i;
// `free`, `ps`, `top`: a host that is dry makes everybody wait.
const FIGURES_OF_RAM = /\b(?:mem\w*|swap|rss|ram)\b/i;

type Log = Pick<Evidence, 'weighing' | 'log' | 'engine' | 'readings' | 'args'>;

/**
 * What a wait tells that ran to its limit, where nothing above it is missing, nobody dies, no other node takes part, and
 * neither a line nor a remark speaks of a memory.
 */
export function readTimedOut(evidence: Log, error: Citation | undefined): Fact | undefined {
  const { weighing, log } = evidence;
  const waited = weighing.hints.find((one) => one.file === log.main?.file && isWait(one, evidence, error));
  if (waited === undefined || log.main === undefined || isOfSeveralNodes(evidence)) return undefined;
  if (tailLines(log.main).some(({ text }) => isDeath(text)) || speaksOfMemory(evidence)) return undefined;
  return fact(waited.phrase.causes[0] ?? 'none.comm', [citeHit(waited)]);
}

/** Whether a line, a remark or a reading speaks of a memory: then who waited may have waited for that. */
export function speaksOfMemory(evidence: Pick<Evidence, 'weighing' | 'readings'>): boolean {
  if (evidence.weighing.hints.some(pointsToMemory)) return true;
  if (remarkLines(evidence).some(({ text }) => SPEAKS_OF_MEMORY.test(text))) return true;
  return FIGURES_OF_RAM.test(evidence.readings.texts.get('metrics.txt') ?? '');
}

function isWait({ phrase, hit }: Weighed, { weighing, engine }: Log, error: Citation | undefined): boolean {
  if (OF_START.test(phrase.id)) return true;
  if (OF_STEP.test(phrase.id)) return error?.kind === 'line' && weighing.all.some((one) => runsAbove(one, error.line));
  if (phrase.id !== 'c10d.rendezvous' || !NOT_MET.test(hit.text)) return false;
  return engine.milestones.every(({ milestone }) => milestone === 'started');
}

// A log that was cut within the wait would not show that error: above the wait the engine is seen at work, or starting.
function runsAbove({ phrase, hit }: Weighed, line: number): boolean {
  return hit.line < line && (BEGINS.test(phrase.id) || showsLife(hit));
}

const BEGINS = /\.cfg\.(?:version|engine-config|server-args)$/;

// The error of a rank on another node stands in that one's log.
function isOfSeveralNodes({ args }: Log): boolean {
  return args.some(({ flag, value }) => OTHER_NODES.test(flag) || (NODES.test(flag) && Number(value) > 1));
}

const NODES = /^--(?:nnodes|num-nodes)$/;
const OTHER_NODES = /^--(?:headless|node-rank|dist-init-addr|data-parallel-address)$/;

// The frames of one who waits for a step are those of the step.
function pointsToMemory({ phrase }: Weighed): boolean {
  return !FRAME.test(phrase.id) && (MEMORY.test(phrase.plane) || MEMORY.test(phrase.causes[0] ?? ''));
}
