import type { Hit, LogReading } from '../../model/log-reading.ts';
import type { Signature } from '../../model/signature.ts';
import { hasRole } from '../../model/signature-roles.ts';
import { cleanLine, nearestTime, SOME_YEAR } from './clean-line.ts';
import { goesOn, isAtWork, isEndOfProcess, isFailure, isWeighty, tellsOfDeath } from './signs-of-work.ts';

/** Lines of failures that the engine outlived, by what is known of its end. */
type Outlived = {
  /** It ended on something else, was told to end, or had said that it does without. */
  readonly passed: ReadonlySet<number>;
  /** Nothing ended it in what the log shows. */
  readonly open: ReadonlySet<number>;
  /** Proofs of failures below which it worked on, whatever ended it; without those that it handled by another way. */
  readonly proofs: readonly Hit[];
};

const WARNS = /\bWARN(?:ING)?\b/;
/** An engine that died may write down what it had counted, and an answer that was begun; a minute later it does neither. */
const MINUTE_MS = 60_000;
/** A notice of the death is above its traceback. */
const TRACEBACK_LINES = 150;
// Inductor tries each way of a kernel and leaves out the ones that fail (torch/_inductor/select_algorithm.py).
const LEFT_OUT_LINES = 3;
/** The report of one failure; above it the engine may have stood still for hours. */
const REPORT_LINES = 12;

/**
 * The failures of memory below which the same engine, or a server of several models, is seen at work. `ended`: the process is
 * known to have ended with a failure.
 */
export function readOutlived({ hits }: Pick<LogReading, 'hits'>, ended = false): Outlived {
  const passed = new Set<number>();
  const open = new Set<number>();
  const proofs: Hit[] = [];
  for (const hit of hits.filter((one) => isOfMemory(one.signature))) {
    const isEnded = (from: Hit) => ended || isEndedElse(from, hits);
    const server = serverBelow(hit, hits);
    if (isDoneWithout(hit, hits)) {
      passed.add(hit.line);
      continue;
    }
    if (hit.signature.weight === 'proof' && (server !== undefined || isOutlived(hit, hits))) proofs.push(hit);
    if (isOutlived(hit, hits)) (isEnded(hit) ? passed : open).add(hit.line);
    // Where nothing ended, the model that failed is what there is to tell.
    else if (server !== undefined && isEnded(server)) passed.add(hit.line);
  }
  return { passed, open, proofs };
}

function isOfMemory(signature: Signature): boolean {
  return (signature.plane === 'gpu' || signature.plane === 'host') && isWeighty(signature);
}

function isDoneWithout(hit: Hit, hits: readonly Hit[]): boolean {
  const leftOut = hits.filter(({ signature }) => hasRole(signature, 'left-out'));
  if (leftOut.some(({ line }) => line >= hit.line && line - hit.line <= LEFT_OUT_LINES)) return true;
  return WARNS.test(hit.text) && ofRunBelow(hit, hits).some(({ signature }) => goesOn(signature));
}

function isOutlived(hit: Hit, hits: readonly Hit[]): boolean {
  const deaths = hits.filter(({ signature }) => tellsOfDeath(signature));
  if (deaths.some(({ line }) => line <= hit.line && hit.line - line <= TRACEBACK_LINES)) return false;
  const works = ofRunBelow(hit, hits).filter(isAtWork);
  const [first] = works;
  if (first === undefined) return false;
  const report = hits.filter(({ line }) => line >= hit.line && line < first.line && line - hit.line <= REPORT_LINES);
  const times = timesOf([...report, ...works]);
  return times.length > 0 && Math.max(...times) - Math.min(...times) >= MINUTE_MS;
}

// Up to the next start or death: what restarts outlived nothing.
function ofRunBelow({ line }: Hit, hits: readonly Hit[]): readonly Hit[] {
  const below = hits.filter((hit) => hit.line > line);
  const end = below.findIndex(({ signature }) => hasRole(signature, 'begins') || tellsOfDeath(signature));
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

function isEndedElse({ line }: Hit, hits: readonly Hit[]): boolean {
  return hits.some(
    (hit) =>
      hit.line > line && isEnd(hit) && !isOutlived(hit, hits) && !(isOfMemory(hit.signature) && serverBelow(hit, hits)),
  );
}

function isEnd({ signature }: Hit): boolean {
  return isEndOfProcess(signature) || hasRole(signature, 'stops') || isFailure(signature);
}

// What an instance of llama.cpp's router prints follows its port (ggml-org/llama.cpp
// tools/server/server-models.cpp), and what a backend of LocalAI does behind its address (pkg/model/process.go).
const OF_INSTANCE = /^\[ {0,4}\d{4,5}\] |^[^\n]{0,80}?\bGRPC\([^\n]{1,200}?\): std(?:err|out) /;

/** Whether a line reports a model that a server does without which was up before. */
export function isModelRefused(hit: Hit, hits: readonly Hit[]): boolean {
  if (!hasRole(hit.signature, 'model-refused')) return false;
  const isUp = (one: Hit) => goesOn(one.signature) || (isBanner(one) && hasRole(one.signature, 'many-models'));
  return hits.some((one) => one.line < hit.line && isUp(one));
}

// Servers that load models one after another, or next to each other. One that does not load, or whose process dies, is
// answered with an error, and the server goes on for the others (ollama/ollama server/sched.go;
// triton-inference-server/server src/main.cc, --exit-on-error=false; mudler/LocalAI pkg/model/initializers.go).

/** Where a server of several models is seen up again, below a line about one of them. */
function serverBelow(hit: Hit, hits: readonly Hit[]): Hit | undefined {
  const isServer = hits.some(({ signature }) => hasRole(signature, 'many-models'));
  if (!OF_INSTANCE.test(hit.text) && !isServer) return undefined;
  const below = hits.filter(({ line }) => line > hit.line);
  const end = below.findIndex(isBanner);
  return below
    .slice(0, end === -1 ? below.length : end)
    .find(({ signature }) => goesOn(signature) || isLoaded(signature));
}

// With it a server begins.
function isBanner({ signature, captures }: Hit): boolean {
  return hasRole(signature, 'begins') && captures.version !== undefined;
}

/** Whether a server says that a model was loaded as it was asked for, or answers by it. */
export function isLoaded(signature: Signature): boolean {
  return ON_DEMAND.has(signature.engine) && (hasRole(signature, 'ready') || hasRole(signature, 'served'));
}

const ON_DEMAND: ReadonlySet<string> = new Set(['ollama', 'llama.cpp']);
