import type { Fact, FactEntry, Facts } from '../model/fact.ts';
import type { NotRead } from '../model/snapshot.ts';
import { FACT_CATALOGUE } from './catalogue.ts';
import { deriveAllocator } from './derive/allocator.ts';
import { deriveAmplifiers } from './derive/amplifiers.ts';
import { deriveDeath } from './derive/death.ts';
import { deriveEngine } from './derive/engine.ts';
import { type Evidence, gatherEvidence } from './derive/evidence.ts';
import { deriveException } from './derive/exception.ts';
import { deriveGpu } from './derive/gpu.ts';
import { deriveKnobs } from './derive/knobs.ts';
import { deriveLasting } from './derive/lasting.ts';
import { deriveLikely } from './derive/likely.ts';
import { deriveLoad } from './derive/load.ts';
import { deriveLog } from './derive/log.ts';
import { deriveLogitsSize } from './derive/logits-size.ts';
import { derivePlane } from './derive/plane.ts';
import { derivePromptLength } from './derive/prompt-length.ts';
import { deriveRam } from './derive/ram.ts';
import type { Readings } from './derive/readings.ts';
import { deriveSequence } from './derive/sequence.ts';
import { deriveStartRam } from './derive/start-ram.ts';
import { deriveVersionMisfit } from './derive/version-misfit.ts';
import { deriveWeightsSize } from './derive/weights-size.ts';
import { whyUnknown } from './derive/why-unknown.ts';
import { deriveWords } from './derive/words.ts';
import { deriveWrapper } from './derive/wrapper.ts';

export type { Readings } from './derive/readings.ts';

/**
 * Every fact of the catalogue, with its proof, or unknown with the reason. Never throws, whatever the texts hold. The values
 * that others lead to (`advice.*`) are sums, which are not made here.
 */
export function deriveFacts(readings: Readings, evidence: Evidence = gatherEvidence(readings)): Facts {
  const ram = deriveRam(evidence);
  const told: Readonly<Record<string, Fact | undefined>> = {
    ...deriveDeath(evidence),
    ...ram,
    ...deriveStartRam(evidence, ram),
    ...deriveGpu(evidence),
    ...deriveAllocator(evidence),
    ...deriveEngine(evidence),
    ...deriveWrapper(evidence),
    ...deriveLog(evidence),
    ...deriveVersionMisfit(evidence),
    ...deriveException(evidence),
    ...deriveWords(evidence),
    ...deriveLikely(evidence),
    ...deriveWeightsSize(evidence),
    ...deriveLoad(evidence),
    ...derivePromptLength(evidence),
    ...deriveSequence(evidence),
    ...derivePlane(evidence),
  };
  const groups = {
    ...told,
    ...deriveKnobs(evidence, told),
    ...deriveLogitsSize(evidence, told),
    ...deriveAmplifiers(evidence, told),
    ...deriveLasting(evidence, told),
  };
  const notRead = [...(evidence.incident?.capture?.notRead ?? []), ...(readings.unreadable ?? [])];
  return new Map(FACT_CATALOGUE.map((entry) => [entry.id, settle(entry, groups[entry.id], notRead)]));
}

// What a reader says of its own file outranks the list of what was not read, unless it only missed the file.
function settle(entry: FactEntry, found: Fact | undefined, notRead: readonly NotRead[]): Fact {
  if (found === undefined) return whyUnknown(entry, notRead);
  if (found.kind === 'unknown' && found.reason === 'not-in-snapshot') return whyUnknown(entry, notRead, found);
  return found;
}
