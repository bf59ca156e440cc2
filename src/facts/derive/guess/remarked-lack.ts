import type { LineCitation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { known } from '../../pod/finding.ts';
import { METRICS_FILE } from '../../text/prometheus.ts';
import { firstException } from '../error/exception.ts';
import type { Evidence } from '../evidence.ts';
import { allLastLines, lastLine } from '../weigh/tail-lines.ts';
import { lineOfFailure } from '../weigh/weigh.ts';
import { FAILS, type Read } from './family.ts';
import { says } from './no-memory/speech.ts';
import { remarkLines } from './remark-lines.ts';
import { FROZEN_MACHINE } from './standstill.ts';
import { LACK } from './vocabulary/lack.ts';
import { isAdvice, NOT_KILLED } from './words.ts';

/** Whether people noted, below the line that decides, a kill or a want of memory: that line was then not the end. */
export function readRemarkedLack(evidence: Evidence): Fact | undefined {
  const { main } = evidence.log;
  const end = lineOfFailure(evidence.weighing, main) ?? lineOfException(evidence);
  const below = ({ from }: { from: LineCitation }) => end !== undefined && from.file === main?.file && from.line > end;
  const told =
    remarkLines(evidence).find((remark) => below(remark) && tellsOfLack(remark.text)) ?? lostByNotes(evidence, end);
  const last = lastLine(main);
  return told === undefined ? last && known(false, last) : known(true, told.from);
}

// Whoever lost a peer says that it is gone, and Kubernetes why.
const OF_RUNTIME = /\bOOM-?Killed\b/i;

/** The kill for want of RAM that people note beside a log which only complains of a lost connection. */
export function readRemarkedKill(evidence: Pick<Evidence, 'readings'>): readonly Read[] {
  const told = remarkLines(evidence).find(({ text }) => says(text.replaceAll(NOT_KILLED, ''), OF_RUNTIME));
  const ofHost = LACK.find(({ plane }) => plane === 'host');
  return told === undefined || ofHost === undefined ? [] : [{ family: ofHost, score: FAILS, from: told.from }];
}

// A table beside the log whose last row is the end: `58k | worker gone | 121.5 GB`.
const LOST =
  /\b(?:worker|process|rank|node|server|pod|container|engine|machine)\b[^|\n]{0,16}\b(?:gone|lost|killed|vanished|frozen?)\b/i;

function lostByNotes({ readings }: Evidence, end: number | undefined): { readonly from: LineCitation } | undefined {
  if (end === undefined) return undefined;
  const rows = readings.logs.filter(({ file }) => file === METRICS_FILE).flatMap(allLastLines);
  const from = rows.find(({ text }) => LOST.test(text));
  return from && { from };
}

function lineOfException(evidence: Evidence): number | undefined {
  const from = firstException(evidence)?.from;
  return from?.kind === 'line' ? from.line : undefined;
}

// What a shell, a runtime and Kubernetes give for signal 9 (POSIX, exit status of a command).
const BY_SIGNAL = /\bexit(?:ed|s)?(?: with)?(?:[ _-]?(?:code|status))?[ :=]{1,3}137\b/i;
const DENIES = /\b(?:no|not|never|nothing|nobody|without)\b|n't\b/i;

function tellsOfLack(text: string): boolean {
  const own = text.replaceAll(NOT_KILLED, '');
  return [BY_SIGNAL, FROZEN_MACHINE, ...LACK.map(({ pattern }) => pattern)].some((pattern) => {
    const at = pattern.exec(own)?.index;
    return at !== undefined && !isAdvice(own.slice(0, at)) && !DENIES.test(own.slice(0, at));
  });
}
