import type { Fact, FactEntry, Facts } from '../model/fact.ts';
import { FACT_CATALOGUE } from './catalogue.ts';
import { deriveAmplifiers } from './derive/death/amplifiers.ts';
import { deriveDeath } from './derive/death/death.ts';
import { deriveLasting } from './derive/death/lasting.ts';
import { deriveEngine } from './derive/engine/engine.ts';
import { deriveKnobs } from './derive/engine/knobs.ts';
import { deriveWrapper } from './derive/engine/wrapper.ts';
import { deriveException } from './derive/error/exception.ts';
import type { Evidence } from './derive/evidence.ts';
import { deriveAllocator } from './derive/gpu/allocator.ts';
import { deriveGpu } from './derive/gpu/gpu.ts';
import { deriveLogitsSize } from './derive/gpu/logits-size.ts';
import { deriveWeightsSize } from './derive/gpu/weights-size.ts';
import { deriveLikely } from './derive/guess/likely.ts';
import { deriveWords } from './derive/guess/words.ts';
import { deriveOutlived } from './derive/life/outlived.ts';
import { deriveSequence } from './derive/life/sequence.ts';
import { deriveLoad } from './derive/load/load.ts';
import { deriveLog } from './derive/log/log.ts';
import { deriveVersionMisfit } from './derive/log/version-misfit.ts';
import { derivePlane } from './derive/plane.ts';
import { deriveRam } from './derive/ram/ram.ts';
import type { Readings } from './derive/readings.ts';
import { type WasRead, whyUnknown } from './derive/why-unknown.ts';
import { withSentences } from './derive/with-sentences.ts';

export type { Readings } from './derive/readings.ts';

type Told = Readonly<Record<string, Fact | undefined>>;

// Each is shown what those before it told.
const READERS: readonly ((evidence: Evidence, told: Told) => Told)[] = [
  deriveDeath,
  deriveRam,
  deriveGpu,
  deriveAllocator,
  deriveEngine,
  deriveWrapper,
  deriveLog,
  deriveVersionMisfit,
  deriveException,
  deriveWords,
  deriveLikely,
  deriveWeightsSize,
  deriveLoad,
  deriveSequence,
  deriveOutlived,
  derivePlane,
  deriveKnobs,
  deriveLogitsSize,
  deriveAmplifiers,
  deriveLasting,
];

/**
 * Every fact of the catalogue, with its proof, or unknown with the reason. Never throws, whatever the texts hold. The values
 * that others lead to (`advice.*`) are sums, which are not made here. Yields between its readers, for who has to answer others
 * meanwhile.
 */
export function* deriveFacts(readings: Readings, evidence: Evidence): Generator<void, Facts> {
  let told: Told = {};
  for (const derive of READERS) {
    told = { ...told, ...derive(evidence, told) };
    yield;
  }
  const notRead = [...(evidence.incident?.capture?.notRead ?? []), ...(readings.unreadable ?? [])];
  const wasRead = { notRead, files: filesRead(readings), log: evidence.log.main?.file };
  const whole = withSentences(evidence.readings.logs);
  return new Map(FACT_CATALOGUE.map((entry) => [entry.id, whole(settle(entry, told[entry.id], wasRead))]));
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
