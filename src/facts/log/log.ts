import type { Citation } from '../../model/citation.ts';
import type { Fact } from '../../model/fact.ts';
import type { Cause } from '../../model/taxonomy.ts';
import { cleanLine } from '../../read/log/clean-line.ts';
import { findMasks } from '../../read/log/mask.ts';
import { known } from '../../read/reading.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { firstException } from '../evidence/exception.ts';
import { readLayer } from '../evidence/layer.ts';
import { headless } from '../evidence/raised-exception.ts';
import { readStage } from '../evidence/stage.ts';
import { lastLine, tailLines } from '../evidence/tail-lines.ts';
import { citeHit, type Weighed } from '../evidence/weigh.ts';
import { FAILS } from '../guess/family.ts';
import { FAMILIES } from '../guess/word-families.ts';
import { firstError, isFailure, ownWords } from './first-error.ts';
import { firstHint, openHint, planeOfHint, STEP_ONLY } from './first-hint.ts';
import { killReports, readKilledAlone } from './killed-alone.ts';
import { readSidePool } from './side-pool.ts';

/** What the log says, weighed. */
export function deriveLog(evidence: Evidence): Group {
  const { weighing, log } = evidence;
  const { decisive } = weighing;
  const last = lastLine(log.main);
  const silent = <T extends string | boolean>(value: T) => last && known(value, last);
  const hint = firstHint(evidence);
  const stage = readStage(evidence);
  const error = firstError(evidence);
  const complaint = firstComplaint(evidence);
  return {
    'log.hint-plane': hint ? fact(planeOfHint(hint), [citeHit(hint)]) : silent('nothing'),
    'log.hint-cause': causeOfHint(hint ?? openHint(evidence)),
    'log.child-killed': killed(evidence) ?? silent(false),
    'log.killed-alone': readKilledAlone(
      evidence,
      complaint !== undefined || terminated(evidence, complaint) !== undefined,
    ),
    'log.terminated': terminated(evidence, error) ?? silent(false),
    'log.error-seen': error ? known(true, error) : silent(false),
    'log.side-pool-full': readSidePool(evidence) ?? silent(false),
    'log.layer': readLayer(evidence),
    'kv-cache.refused': decisive && fact(POOL.test(decisive.phrase.id), [citeHit(decisive)]),
    'log.stage': stage ? fact(stage.stage, [stage.from]) : silent('nothing'),
  };
}

/** The cause that a line names by itself; undefined where it decides the plane alone. */
export function causeOf(weighed: Weighed): Fact | undefined {
  return fact(weighed.phrase.causes[0], [citeHit(weighed)]);
}

function causeOfHint(hint: Weighed | undefined): Fact | undefined {
  return hint && (causeInWords(hint) ?? causeOf(hint));
}

// A message of many causes may repeat, in the same line, the one that it had.
function causeInWords(hint: Weighed): Fact | undefined {
  if (hint.phrase.plane !== 'none') return undefined;
  const { promptAt, echoAt } = findMasks(hint.hit.text);
  const own = hint.hit.text.slice(0, Math.min(promptAt, echoAt));
  const named = FAMILIES.find(
    ({ plane, weight, starting, pattern }) =>
      plane === 'none' && weight === FAILS && NAMED.has(starting) && pattern.test(own),
  );
  return named && fact<string>(named.starting, [citeHit(hint)]);
}

const NAMED: ReadonlySet<Cause> = new Set(['none.gpu-fault', 'none.driver']);

// The pool is fixed: what does not fit into it is no allocation that the device refused.
const POOL =
  /^(?:vllm\.run\.(?:no-free-blocks(?:-v0)?|few-blocks)|sglang\.run\.(?:pool-exhausted|alloc|no-space-one)|lmdeploy\.run\.(?:blocks|sequence-blocks)|trtllm\.run\.no-free-blocks)$/;

const KILLED =
  /^(?:host\.(?:child-sigkill|signal-killed|dataloader-killed|killed-word(?:\.translated)?)|tgi\.shard\.signal)$/;
const SIGNAL_9 = /^-?9$|^SIGKILL$|^137$/i;

function killed(evidence: Evidence): Fact | undefined {
  const { weighing } = evidence;
  const told = weighing.all.filter(
    ({ hit, phrase }) =>
      (KILLED.test(phrase.id) && phrase.weight !== 'context') ||
      SIGNAL_9.test(hit.captures.code ?? hit.captures.sig ?? ''),
  );
  const hits = [...told, ...killedUnstopped(evidence)];
  return fact(hits.length > 0 ? true : undefined, hits.map(citeHit));
}

const STOPS = /\b(?:SIGTERM|SIGQUIT|SIGINT|sigquit)\b|\bFAILED\b|\bWatchdog\b/;

// SGLang's launcher saw a child end by SIGKILL: one that had complained or stopped before had its children ended so.
function killedUnstopped({ weighing, log }: Evidence): readonly Weighed[] {
  const first = weighing.all.find(({ phrase }) => phrase.id === 'sglang.die.wait-status');
  if (first === undefined || firstException({ log }) !== undefined || log.main === undefined) return [];
  const above = tailLines(log.main).filter(({ line }) => line < first.hit.line);
  const stopped = above.some(({ text }) => STOPS.test(text) || CLOSES.test(text));
  return stopped || weighing.decisive !== undefined ? [] : [first];
}

// Transformers and vLLM, SGLang, KTransformers, llama.cpp. At 100 % the load is over.

// The words of servers that close in order: uvicorn, gunicorn, vLLM, SGLang, TGI, Triton. One that ends on an error closes, too.
const CLOSES = anyOf(
  '',
  /\bSIGTERM\b|\bsignal received, starting graceful shutdown|^Signal \(15\) received/,
  /\bShutting down FastAPI|\bFinished server process\b|\bHandling signal: term\b/,
  /\bApplication shutdown complete\b|\bWaiting for (?:application shutdown\.|connections to close)/,
  /\b(?:stopped|shut down) (?:cleanly|gracefully)\b/,
);

function terminated({ weighing, log }: Evidence, error: Citation | undefined): Fact | undefined {
  const hits = weighing.all.filter(({ phrase }) => phrase.id === 'vllm.die.terminated');
  if (hits.length > 0) return fact(true, hits.map(citeHit));
  const stopped = interruption({ weighing, log });
  if (stopped !== undefined) return known(true, stopped);
  if (error !== undefined || log.main === undefined) return undefined;
  const closes = tailLines(log.main).find(({ text }) => CLOSES.test(cleanLine(ownWords(text)).clean));
  return closes && known(true, closes);
}

const INTERRUPTED = /^(?:\[rank\d{1,4}\]:?\s+)?KeyboardInterrupt\s*$/;

// Python's word for signal 2, where nothing but frames stands above it: who ends a rank so is its parent, or somebody at a keyboard.
function interruption({ weighing, log }: Pick<Evidence, 'weighing' | 'log'>): Citation | undefined {
  if (log.main === undefined || weighing.decisive !== undefined || firstException({ log }) !== undefined)
    return undefined;
  const points = weighing.hints.some((one) => !STEP_ONLY.test(one.phrase.id) && planeOfHint(one) !== undefined);
  return points ? undefined : tailLines(log.main).find(({ text }) => INTERRUPTED.test(headless(text)));
}

// What complains beside the report of a kill.
function firstComplaint(evidence: Evidence): Citation | undefined {
  const reports = killReports(evidence).map(({ hit }) => hit.line);
  return firstError(evidence, (one) => isFailure(one) && !isOfHost(one), new Set(reports));
}

function isOfHost({ phrase }: Weighed): boolean {
  return phrase.plane === 'host' && phrase.weight === 'hint';
}
