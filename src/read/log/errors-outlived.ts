import type { Hit, LogReading } from '../../model/log-reading.ts';
import type { Phrase } from '../../model/phrase.ts';
import { cleanLine, nearestTime, SOME_YEAR } from './clean-line.ts';
import { DIES, goesOn, isAtWork, isEndOfProcess, isFailure, isWeighty } from './signs-of-work.ts';

/** Lines of failures that the engine outlived, by what is known of its end. */
type Outlived = {
  /** It ended on something else, was told to end, or had said that it does without. */
  readonly passed: ReadonlySet<number>;
  /** Nothing ended it in what the log shows. */
  readonly open: ReadonlySet<number>;
  /** Proofs of failures below which it worked on, whatever ended it; without those that it handled by another way. */
  readonly proofs: readonly Hit[];
};

type ById = ReadonlyMap<string, Phrase>;

// Who begins anew outlived nothing.
const BEGINS = /\.cfg\.(?:version|engine-config|server-args)|^phase\.\S+-(?:load|load-begin|shard-start|started)$/;
const STOPS = /^phase\.vllm-shutdown$/;
const WARNS = /\bWARN(?:ING)?\b/;
/** An engine that died may write down what it had counted, and an answer that was begun; a minute later it does neither. */
const MINUTE_MS = 60_000;
/** A notice of the death stands above its traceback. */
const TRACEBACK_LINES = 150;
// Inductor tries each way of a kernel and leaves out the ones that fail (torch/_inductor/select_algorithm.py).
const LEFT_OUT = 'torch.autotune.left-out';
const LEFT_OUT_LINES = 3;
/** The report of one failure; above it the engine may have stood still for hours. */
const BESIDE_LINES = 12;

/**
 * The failures of memory below which the same engine, or a server of several models, is seen at work. `ended`: the process is
 * known to have ended with a failure.
 */
export function readOutlived({ hits }: Pick<LogReading, 'hits'>, byId: ById, ended = false): Outlived {
  const passed = new Set<number>();
  const open = new Set<number>();
  const proofs: Hit[] = [];
  for (const hit of hits.filter((one) => isOfMemory(byId.get(one.id)))) {
    const isEnded = (from: Hit) => ended || isEndedElse(from, hits, byId);
    const server = serverBelow(hit, hits);
    if (isDoneWithout(hit, hits)) {
      passed.add(hit.line);
      continue;
    }
    if (byId.get(hit.id)?.weight === 'proof' && (server !== undefined || isOutlived(hit, hits))) proofs.push(hit);
    if (isOutlived(hit, hits)) (isEnded(hit) ? passed : open).add(hit.line);
    // Where nothing ended, the model that failed is what there is to tell.
    else if (server !== undefined && isEnded(server)) passed.add(hit.line);
  }
  return { passed, open, proofs };
}

function isOfMemory(phrase: Phrase | undefined): boolean {
  return (phrase?.plane === 'gpu' || phrase?.plane === 'host') && isWeighty(phrase);
}

function isDoneWithout(hit: Hit, hits: readonly Hit[]): boolean {
  if (hits.some(({ id, line }) => id === LEFT_OUT && line >= hit.line && line - hit.line <= LEFT_OUT_LINES))
    return true;
  return WARNS.test(hit.text) && ofRunBelow(hit, hits).some(({ id }) => goesOn(id));
}

function isOutlived(hit: Hit, hits: readonly Hit[]): boolean {
  const dead = hits.some(({ id, line }) => DIES.test(id) && line <= hit.line && hit.line - line <= TRACEBACK_LINES);
  if (dead) return false;
  const works = ofRunBelow(hit, hits).filter(isAtWork);
  const [first] = works;
  if (first === undefined) return false;
  const report = hits.filter(({ line }) => line >= hit.line && line < first.line && line - hit.line <= BESIDE_LINES);
  const times = timesOf([...report, ...works]);
  return times.length > 0 && Math.max(...times) - Math.min(...times) >= MINUTE_MS;
}

// Up to the next start or death.
function ofRunBelow({ line }: Hit, hits: readonly Hit[]): readonly Hit[] {
  const below = hits.filter((hit) => hit.line > line);
  const end = below.findIndex(({ id }) => BEGINS.test(id) || DIES.test(id));
  return end === -1 ? below : below.slice(0, end);
}

// Times with a year and times without one have nothing between them.
function timesOf(hits: readonly Hit[]): readonly number[] {
  const dated = hits.flatMap(({ at }) => at ?? []);
  if (dated.length > 0) return dated;
  return hits.flatMap(({ text }) => {
    const { head } = cleanLine(text);
    return (head && nearestTime(head, SOME_YEAR)) ?? [];
  });
}

function isEndedElse({ line }: Hit, hits: readonly Hit[], byId: ById): boolean {
  return hits.some(
    (hit) =>
      hit.line > line &&
      isEnd(hit, byId.get(hit.id)) &&
      !isOutlived(hit, hits) &&
      !(isOfMemory(byId.get(hit.id)) && serverBelow(hit, hits)),
  );
}

function isEnd({ id }: Hit, phrase: Phrase | undefined): boolean {
  return isEndOfProcess(id) || STOPS.test(id) || isFailure(phrase);
}

// Servers that load models one after another, or beside each other. One that does not load, or whose process dies, is
// answered with an error, and the server goes on for the others (ollama/ollama server/sched.go;
// triton-inference-server/server src/main.cc, --exit-on-error=false; mudler/LocalAI pkg/model/initializers.go).
const SERVER = /^(?:ollama\.cfg\.version|phase\.ollama-\w+|phase\.triton-ready|triton\.num\.loading)$/;
// What an instance of llama.cpp's router prints stands behind its port (ggml-org/llama.cpp
// tools/server/server-models.cpp), and what a backend of LocalAI does behind its address (pkg/model/process.go).
const OF_INSTANCE = /^\[ {0,4}\d{4,5}\] |^[^\n]{0,80}?\bGRPC\([^\n]{1,200}?\): std(?:err|out) /;
const SERVER_BEGINS = /\.cfg\.version$/;
const SERVER_UP = /^ollama\.cfg\.version$/;
const LOADED = /^phase\.ollama-started$/;

/** A model that a server cannot load, or does not have. */
const MODEL = /^(?:triton|ollama)\.model$/;

/** Whether a line tells of a model that a server does without which was up before. */
export function isModelRefused(hit: Hit, hits: readonly Hit[]): boolean {
  return MODEL.test(hit.id) && hits.some(({ id, line }) => line < hit.line && (SERVER_UP.test(id) || goesOn(id)));
}

/** Where a server of several models is seen up again, below a line that tells of one of them. */
function serverBelow(hit: Hit, hits: readonly Hit[]): Hit | undefined {
  if (!OF_INSTANCE.test(hit.text) && !hits.some(({ id }) => SERVER.test(id))) return undefined;
  const below = hits.filter(({ line }) => line > hit.line);
  const end = below.findIndex(({ id }) => SERVER_BEGINS.test(id));
  return below.slice(0, end === -1 ? below.length : end).find(({ id }) => goesOn(id) || LOADED.test(id));
}
