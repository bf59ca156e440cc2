import type { Fact, FactEntry, Facts } from '../model/fact.ts';
import { LASTING } from './advice/lasting.ts';
import { AMPLIFIERS } from './death/amplifiers.ts';
import { POD, SIBLING_PODS } from './death/pod.ts';
import { ROLLOUT } from './death/rollout.ts';
import { DEATH_CAUSE, TERMINATION } from './death/termination.ts';
import { ENGINE_ARGUMENTS } from './engine/argument-source.ts';
import { ENGINE_IDENTITY } from './engine/identity.ts';
import { ENGINE_KNOBS } from './engine/knobs.ts';
import { ENGINE_MEMORY } from './engine/memory-figures.ts';
import { ENGINE_MODEL } from './engine/model-kind.ts';
import { ENGINE_PROGRESS } from './engine/progress.ts';
import { ENGINE_SETTINGS } from './engine/settings.ts';
import type { FactGroup } from './evidence/define.ts';
import type { Evidence } from './evidence/evidence.ts';
import { EXCEPTION_FACTS } from './evidence/exception.ts';
import { HINT_FACTS } from './evidence/hint.ts';
import { NAMED_FLAGS } from './evidence/named-flags.ts';
import { PLANE_FACTS } from './evidence/plane.ts';
import { PROCESS_KILL_FACTS } from './evidence/process-kill.ts';
import { STAGE_FACTS } from './evidence/stage.ts';
import { VERSION_MISFIT_FACTS } from './evidence/version-misfit.ts';
import { GPU_ACCOUNT } from './gpu/account.ts';
import { ALLOCATOR } from './gpu/allocator.ts';
import { GPU_DEVICE } from './gpu/device.ts';
import { GPU_LOGITS } from './gpu/logits-size.ts';
import { GPU_PROCESSES } from './gpu/other-processes.ts';
import { GPU_OOM } from './gpu/out-of-memory.ts';
import { GPU_START } from './gpu/start-checks.ts';
import { GPU_USE } from './gpu/use.ts';
import { GPU_WEIGHTS } from './gpu/weights-size.ts';
import { GUESS_FACTS } from './guess/guess.ts';
import { KV_CACHE } from './load/kv-cache.ts';
import { REQUESTS } from './load/requests.ts';
import { STEP } from './load/step.ts';
import type { Readings } from './log/readings.ts';
import { KERNEL_KILL } from './ram/kernel-kill.ts';
import { RAM_LIMIT } from './ram/limit.ts';
import { NODE_MEMORY } from './ram/node-memory.ts';
import { RAM_OFFLOAD } from './ram/offload.ts';
import { RAM_OOM } from './ram/out-of-memory.ts';
import { RAM_CACHES } from './ram/prompt-cache.ts';
import { RAM_RAISED_LIMIT } from './ram/raised-limit.ts';
import { RAM_USE } from './ram/use.ts';
import { INSTANCE_FACTS } from './when/instance.ts';
import { FAILURE_FACTS } from './when/life.ts';
import { SEQUENCE_FACTS } from './when/sequence.ts';
import { withSentences } from './whole-sentences.ts';
import { type WasRead, whyUnknown } from './why-unknown.ts';

export type { Readings } from './log/readings.ts';

// In the order of the list; each group is shown what those before it found.
const GROUPS: readonly FactGroup[] = [
  ...[FAILURE_FACTS, INSTANCE_FACTS],
  ...[POD, SIBLING_PODS, TERMINATION, DEATH_CAUSE],
  ...[KERNEL_KILL, NODE_MEMORY, RAM_LIMIT, RAM_USE, RAM_OOM, RAM_CACHES, RAM_OFFLOAD],
  ...[GPU_DEVICE, GPU_USE, GPU_OOM, ROLLOUT, GPU_ACCOUNT, GPU_PROCESSES, GPU_START, GPU_WEIGHTS, ALLOCATOR],
  ...[ENGINE_IDENTITY, ENGINE_ARGUMENTS, ENGINE_MODEL, ENGINE_SETTINGS, ENGINE_MEMORY, ENGINE_PROGRESS],
  ...[STAGE_FACTS, HINT_FACTS, PROCESS_KILL_FACTS, VERSION_MISFIT_FACTS, EXCEPTION_FACTS, NAMED_FLAGS],
  ...[GUESS_FACTS, REQUESTS, KV_CACHE, STEP, SEQUENCE_FACTS, PLANE_FACTS],
  ...[ENGINE_KNOBS, GPU_LOGITS, AMPLIFIERS, RAM_RAISED_LIMIT, LASTING],
];

/** Every fact that is read from a snapshot, in the order of `oom playbook facts`; `advice.*` are sums of the budget. */
export const FACT_CATALOGUE: readonly FactEntry[] = GROUPS.flatMap(({ entries }) => entries);

export const FACT_IDS: ReadonlySet<string> = new Set(FACT_CATALOGUE.map((entry) => entry.id));

/**
 * Every fact of the catalogue, with its proof, or unknown with the reason. Never throws. `later` are facts that are computed
 * from these, and unknown here. Yields between its groups, so that a service can answer others.
 */
export function* deriveFacts(
  readings: Readings,
  evidence: Evidence,
  later: readonly FactEntry[] = [],
): Generator<void, Facts> {
  const told: Partial<Record<string, Fact>> = {};
  for (const group of GROUPS) {
    Object.assign(told, group.derive(evidence, told));
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
