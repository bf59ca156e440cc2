import type { Fact, FactEntry, Facts } from '../model/fact.ts';
import { FACT_CATALOGUE, FACT_GROUPS } from './catalogue.ts';
import type { Told } from './define.ts';
import type { Evidence } from './evidence/evidence.ts';
import type { Readings } from './readings.ts';
import { withSentences } from './whole-sentences.ts';
import { type WasRead, whyUnknown } from './why-unknown.ts';

export type { Readings } from './readings.ts';

/**
 * Every fact of the catalogue, with its proof, or unknown with the reason. Never throws, whatever the texts hold. `later` are
 * those that are computed from these facts, and unknown here. Yields between its groups, for who has to answer others meanwhile.
 */
export function* deriveFacts(
  readings: Readings,
  evidence: Evidence,
  later: readonly FactEntry[] = [],
): Generator<void, Facts> {
  let told: Told = {};
  for (const { derive } of FACT_GROUPS) {
    told = { ...told, ...derive(evidence, told) };
    yield;
  }
  const notRead = [...(evidence.incident?.capture?.notRead ?? []), ...(readings.unreadable ?? [])];
  const wasRead = { notRead, files: filesRead(readings), log: evidence.log.main?.file };
  const whole = withSentences(evidence.readings.logs);
  const entries = [...FACT_CATALOGUE, ...later];
  return new Map(entries.map((entry) => [entry.id, whole(settle(entry, told[entry.id], wasRead))]));
}

function filesRead({ texts, logs }: Readings): string[] {
  const small = [...texts].flatMap(([file, text]) => (text.trim() === '' ? [] : [file]));
  const scanned = logs.flatMap(({ file, evidenceLines }) => (evidenceLines === 0 ? [] : [file]));
  return [...new Set([...small, ...scanned])];
}

// What a reader says of its own file outranks the list of what was not read, unless it only missed the file.
function settle(entry: FactEntry, found: Fact | undefined, wasRead: WasRead): Fact {
  if (found === undefined) return whyUnknown(entry, wasRead);
  if (found.kind === 'unknown' && found.reason === 'not-in-snapshot') return whyUnknown(entry, wasRead, found);
  return found;
}
