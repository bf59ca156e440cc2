import type { Fact, FactEntry, Facts } from '../model/fact.ts';
import { deriveLasting } from './advice/lasting.ts';
import { FACT_CATALOGUE } from './catalogue.ts';
import { deriveAmplifiers } from './death/amplifiers.ts';
import { deriveDeath } from './death/death.ts';
import { deriveEngine } from './engine/engine.ts';
import { deriveKnobs } from './engine/knobs.ts';
import { deriveWrapper } from './engine/wrapper.ts';
import type { Evidence } from './evidence/evidence.ts';
import { deriveException } from './evidence/exception.ts';
import { derivePlane } from './evidence/plane.ts';
import { deriveAllocator } from './gpu/allocator.ts';
import { deriveGpu } from './gpu/gpu.ts';
import { deriveLogitsSize } from './gpu/logits-size.ts';
import { deriveWeightsSize } from './gpu/weights-size.ts';
import { deriveLikely } from './guess/guess.ts';
import { deriveWords } from './guess/shortage-words.ts';
import { deriveLoad } from './load/load.ts';
import { deriveLog } from './log/log.ts';
import { deriveVersionMisfit } from './log/version-misfit.ts';
import { deriveRam } from './ram/ram.ts';
import type { Readings } from './readings.ts';
import { deriveOutlived } from './when/outlived.ts';
import { deriveSequence } from './when/sequence.ts';
import { withSentences } from './whole-sentences.ts';
import { type WasRead, whyUnknown } from './why-unknown.ts';

export type { Readings } from './readings.ts';

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
