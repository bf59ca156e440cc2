import type { Fact, FactEntry, Facts } from '../model/fact.ts';
import { deriveLasting } from './advice/lasting.ts';
import { ADVICE_FACTS } from './catalogue/advice.ts';
import { AMPLIFIER_FACTS } from './catalogue/amplifiers.ts';
import { BEFORE_FACTS } from './catalogue/before.ts';
import { DEATH_FACTS } from './catalogue/death.ts';
import { ENGINE_FACTS } from './catalogue/engine.ts';
import { GPU_FACTS } from './catalogue/gpu.ts';
import { GPU_START_FACTS } from './catalogue/gpu-start.ts';
import { KNOB_FACTS } from './catalogue/knobs.ts';
import { LASTING_FACTS } from './catalogue/lasting.ts';
import { LOAD_FACTS } from './catalogue/load.ts';
import { RAM_FACTS } from './catalogue/ram.ts';
import { RAM_ROOM_FACTS } from './catalogue/ram-room.ts';
import { RAM_START_FACTS } from './catalogue/ram-start.ts';
import { TOLD_FACTS } from './catalogue/told.ts';
import { WRAPPER_FACTS } from './catalogue/wrapper.ts';
import { deriveAmplifiers } from './death/amplifiers.ts';
import { deriveDeath } from './death/death.ts';
import { TWO_ENDS_FACTS } from './death/two-ends.ts';
import type { FactGroup, Told } from './define.ts';
import { deriveEngine } from './engine/engine.ts';
import { deriveKnobs } from './engine/knobs.ts';
import { deriveWrapper } from './engine/wrapper.ts';
import type { Evidence } from './evidence/evidence.ts';
import { EXCEPTION_FACTS } from './evidence/exception.ts';
import { HINT_FACTS } from './evidence/hint.ts';
import { LAYER_FACTS } from './evidence/layer.ts';
import { PLANE_FACTS } from './evidence/plane.ts';
import { PROCESS_KILL_FACTS } from './evidence/process-kill.ts';
import { STAGE_FACTS } from './evidence/stage.ts';
import { VERSION_MISFIT_FACTS } from './evidence/version-misfit.ts';
import { deriveAllocator } from './gpu/allocator.ts';
import { deriveGpu } from './gpu/gpu.ts';
import { deriveLogitsSize } from './gpu/logits-size.ts';
import { deriveWeightsSize } from './gpu/weights-size.ts';
import { GUESS_FACTS } from './guess/guess.ts';
import { KV_CACHE_REFUSAL_FACTS } from './load/kv-cache-refusal.ts';
import { deriveLoad } from './load/load.ts';
import { deriveRam } from './ram/ram.ts';
import type { Readings } from './readings.ts';
import { INSTANCE_FACTS } from './when/instance.ts';
import { FAILURE_FACTS } from './when/life.ts';
import { SEQUENCE_FACTS } from './when/sequence.ts';
import { withSentences } from './whole-sentences.ts';
import { type WasRead, whyUnknown } from './why-unknown.ts';

export type { Readings } from './readings.ts';

// In the order of the list; each group is shown what those before it found.
const GROUPS: readonly FactGroup[] = [
  FAILURE_FACTS,
  INSTANCE_FACTS,
  { entries: [...DEATH_FACTS, ...TOLD_FACTS], derive: deriveDeath },
  TWO_ENDS_FACTS,
  { entries: [...RAM_FACTS, ...RAM_ROOM_FACTS], derive: deriveRam },
  { entries: [...GPU_FACTS, ...GPU_START_FACTS], derive: deriveGpu },
  { entries: [], derive: deriveAllocator },
  { entries: [...ENGINE_FACTS, ...RAM_START_FACTS], derive: deriveEngine },
  { entries: WRAPPER_FACTS, derive: deriveWrapper },
  STAGE_FACTS,
  LAYER_FACTS,
  HINT_FACTS,
  PROCESS_KILL_FACTS,
  KV_CACHE_REFUSAL_FACTS,
  VERSION_MISFIT_FACTS,
  EXCEPTION_FACTS,
  GUESS_FACTS,
  { entries: [], derive: deriveWeightsSize },
  { entries: [...LOAD_FACTS, ...BEFORE_FACTS], derive: deriveLoad },
  SEQUENCE_FACTS,
  PLANE_FACTS,
  { entries: KNOB_FACTS, derive: deriveKnobs },
  { entries: [], derive: deriveLogitsSize },
  { entries: AMPLIFIER_FACTS, derive: deriveAmplifiers },
  { entries: LASTING_FACTS, derive: deriveLasting },
];

/** Every fact a playbook may ask for, in the order of `oom playbook facts`; `advice.*` are sums of the budget. */
export const FACT_CATALOGUE: readonly FactEntry[] = [...GROUPS.flatMap(({ entries }) => entries), ...ADVICE_FACTS];

export const FACT_IDS: ReadonlySet<string> = new Set(FACT_CATALOGUE.map((entry) => entry.id));

/** Every fact of the catalogue, with its proof, or unknown with the reason. Never throws. Yields between its groups, so that a service can answer others. */
export function* deriveFacts(readings: Readings, evidence: Evidence): Generator<void, Facts> {
  let told: Told = {};
  for (const group of GROUPS) {
    told = { ...told, ...group.derive(evidence, told) };
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
