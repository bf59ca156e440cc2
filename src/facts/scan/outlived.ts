import type { Hit, LogReading } from '../../model/log-reading.ts';
import type { Phrase } from '../../model/phrase.ts';
import { cleanLine, nearestTime } from './clean-line.ts';

/** Lines of failures that the engine outlived, by what is known of its end. */
export type Outlived = {
  /** It ended on something else, was told to end, or had said that it does without. */
  readonly passed: ReadonlySet<number>;
  /** Nothing ended it in what the log shows. */
  readonly open: ReadonlySet<number>;
};

type ById = ReadonlyMap<string, Phrase>;

// What only an engine at work prints: how much it did, and whom it answered.
const WORKS = /\.run\.stats|\.num\.decode-batch$|^phase\.(?:http|\w+)-served$/;
const READY = /^phase\.(?:\w+-ready|vllm-serving)$/;
// Who begins anew outlived nothing.
const BEGINS = /\.cfg\.(?:version|engine-config|server-args)|^phase\.\S+-(?:load|load-begin|shard-start|started)$/;
const DIES = /\.die\./;
const ENDS = /\.die\.|^phase\.vllm-shutdown$/;
const WARNS = /\bWARN(?:ING)?\b/;
/** An engine that died may write down what it had counted, and an answer that was begun; a minute later it does neither. */
const MINUTE_MS = 60_000;
/** A notice of the death stands above its traceback. */
const TRACEBACK_LINES = 150;
// Inductor tries each way of a kernel and leaves out the ones that fail (torch/_inductor/select_algorithm.py).
const LEFT_OUT = 'torch.autotune.left-out';
const LEFT_OUT_LINES = 3;
// These end no process.
const LESSER = /^none\.(?:request-rejected|preemption-warning|driver)$/;

/** The failures of memory below which the same engine is seen at work. */
export function readOutlived({ hits }: Pick<LogReading, 'hits'>, byId: ById): Outlived {
  const passed = new Set<number>();
  const open = new Set<number>();
  for (const hit of hits.filter((one) => isOfMemory(byId.get(one.id)))) {
    if (isDoneWithout(hit, hits)) passed.add(hit.line);
    else if (isOutlived(hit, hits)) (isEndedElse(hit, hits, byId) ? passed : open).add(hit.line);
  }
  return { passed, open };
}

function isOfMemory(phrase: Phrase | undefined): boolean {
  return (phrase?.plane === 'gpu' || phrase?.plane === 'host') && isWeighty(phrase);
}

function isWeighty({ weight }: Phrase): boolean {
  return weight === 'proof' || weight === 'strong';
}

function isDoneWithout(hit: Hit, hits: readonly Hit[]): boolean {
  if (hits.some(({ id, line }) => id === LEFT_OUT && line >= hit.line && line - hit.line <= LEFT_OUT_LINES))
    return true;
  return WARNS.test(hit.text) && ofRunBelow(hit, hits).some(({ id }) => READY.test(id) || WORKS.test(id));
}

function isOutlived(hit: Hit, hits: readonly Hit[]): boolean {
  const dead = hits.some(({ id, line }) => DIES.test(id) && line <= hit.line && hit.line - line <= TRACEBACK_LINES);
  if (dead) return false;
  const times = timesOf(ofRunBelow(hit, hits).filter(isAtWork));
  return times.length > 0 && Math.max(...times) - Math.min(...times) >= MINUTE_MS;
}

// Up to the next start or death.
function ofRunBelow({ line }: Hit, hits: readonly Hit[]): readonly Hit[] {
  const below = hits.filter((hit) => hit.line > line);
  const end = below.findIndex(({ id }) => BEGINS.test(id) || DIES.test(id));
  return end === -1 ? below : below.slice(0, end);
}

// Counters of an engine that hangs go on, with nothing done.
function isAtWork({ id, captures }: Hit): boolean {
  return WORKS.test(id) && Number(captures.genTps ?? 1) > 0;
}

// The middle of a leap year, so that no date is refused: how long lies between two lines needs no year.
const SOME_YEAR = Date.UTC(2024, 6);

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
  return hits.some((hit) => hit.line > line && isEnd(hit, byId.get(hit.id)) && !isOutlived(hit, hits));
}

function isEnd({ id }: Hit, phrase: Phrase | undefined): boolean {
  if (ENDS.test(id)) return true;
  if (phrase === undefined || LESSER.test(phrase.causes[0] ?? '')) return false;
  return phrase.plane !== 'unknown' && (isWeighty(phrase) || phrase.weight === 'rules-out');
}
