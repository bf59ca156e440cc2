import type { Evidence } from '../evidence.ts';
import { FAILS, type Read } from './family.ts';
import { says } from './no-memory/speech.ts';
import { remarkLines } from './remark-lines.ts';
import { LACK } from './vocabulary/lack.ts';
import { NOT_KILLED } from './words.ts';

// Whoever lost a peer says that it is gone, and Kubernetes why.
const OF_RUNTIME = /\bOOM-?Killed\b/i;

/** The kill for want of RAM that people note beside a log which only complains of a lost connection. */
export function readRemarkedKill(evidence: Pick<Evidence, 'readings'>): readonly Read[] {
  const told = remarkLines(evidence).find(({ text }) => says(text.replaceAll(NOT_KILLED, ''), OF_RUNTIME));
  const ofHost = LACK.find(({ plane }) => plane === 'host');
  return told === undefined || ofHost === undefined ? [] : [{ family: ofHost, score: FAILS, from: told.from }];
}
