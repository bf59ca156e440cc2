import type { FactEntry } from '../model/fact.ts';
import { LASTING } from './advice/lasting.ts';
import { LOG_FACTS } from './catalogue/log.ts';
import { SEQUENCE_FACTS } from './catalogue/sequence.ts';
import { TOLD_FACTS } from './catalogue/told.ts';
import { AMPLIFIERS } from './death/amplifiers.ts';
import { POD, REVISION, SIBLING_PODS } from './death/pod.ts';
import { DEATH_CAUSE, TERMINATION } from './death/termination.ts';
import type { FactGroup } from './define.ts';
import { ENGINE_ARGUMENTS } from './engine/argument-source.ts';
import { ENGINE_IDENTITY } from './engine/identity.ts';
import { ENGINE_KNOBS } from './engine/knobs.ts';
import { ENGINE_MEMORY } from './engine/memory-figures.ts';
import { ENGINE_MODEL } from './engine/model-kind.ts';
import { ENGINE_PROGRESS } from './engine/progress.ts';
import { ENGINE_SETTINGS } from './engine/settings.ts';
import { deriveException } from './evidence/exception.ts';
import { NAMED_FLAGS } from './evidence/named-flags.ts';
import { derivePlane } from './evidence/plane.ts';
import { GPU_ACCOUNT } from './gpu/account.ts';
import { ALLOCATOR } from './gpu/allocator.ts';
import { GPU_DEVICE } from './gpu/device.ts';
import { GPU_LOGITS } from './gpu/logits-size.ts';
import { GPU_PROCESSES } from './gpu/other-processes.ts';
import { GPU_OOM } from './gpu/out-of-memory.ts';
import { GPU_START } from './gpu/start-checks.ts';
import { GPU_USE } from './gpu/use.ts';
import { GPU_WEIGHTS } from './gpu/weights-size.ts';
import { deriveLikely } from './guess/guess.ts';
import { deriveWords } from './guess/shortage-words.ts';
import { KV_CACHE } from './load/kv-cache.ts';
import { REQUESTS } from './load/requests.ts';
import { STEP } from './load/step.ts';
import { deriveLog } from './log/log.ts';
import { deriveVersionMisfit } from './log/version-misfit.ts';
import { KERNEL_KILL } from './ram/kernel-kill.ts';
import { RAM_LIMIT } from './ram/limit.ts';
import { NODE_MEMORY } from './ram/node-memory.ts';
import { RAM_OFFLOAD } from './ram/offload.ts';
import { RAM_OOM } from './ram/out-of-memory.ts';
import { RAM_CACHES } from './ram/prompt-cache.ts';
import { RAM_RAISED_LIMIT } from './ram/raised-limit.ts';
import { RAM_USE } from './ram/use.ts';
import { FAILURE } from './when/failure.ts';
import { deriveOutlived } from './when/outlived.ts';
import { deriveSequence } from './when/sequence.ts';

/** All facts, in the order of `oom playbook facts`. A group is shown what those before it found. */
export const FACT_GROUPS: readonly FactGroup[] = [
  POD,
  SIBLING_PODS,
  TERMINATION,
  DEATH_CAUSE,
  REVISION,
  FAILURE,
  KERNEL_KILL,
  NODE_MEMORY,
  RAM_LIMIT,
  RAM_USE,
  RAM_OOM,
  RAM_CACHES,
  RAM_OFFLOAD,
  GPU_DEVICE,
  GPU_USE,
  GPU_OOM,
  GPU_ACCOUNT,
  GPU_PROCESSES,
  GPU_START,
  GPU_WEIGHTS,
  ALLOCATOR,
  ENGINE_IDENTITY,
  ENGINE_ARGUMENTS,
  ENGINE_MODEL,
  ENGINE_SETTINGS,
  ENGINE_MEMORY,
  ENGINE_PROGRESS,
  { entries: LOG_FACTS, derive: deriveLog },
  { entries: TOLD_FACTS, derive: deriveVersionMisfit },
  { entries: [], derive: deriveException },
  { entries: [], derive: deriveWords },
  { entries: [], derive: deriveLikely },
  REQUESTS,
  KV_CACHE,
  STEP,
  { entries: SEQUENCE_FACTS, derive: deriveSequence },
  { entries: [], derive: deriveOutlived },
  { entries: [], derive: derivePlane },
  NAMED_FLAGS,
  ENGINE_KNOBS,
  GPU_LOGITS,
  AMPLIFIERS,
  RAM_RAISED_LIMIT,
  LASTING,
];

/** Every fact that a snapshot holds. What a playbook may ask for besides are the values that `budget` computes from them. */
export const FACT_CATALOGUE: readonly FactEntry[] = FACT_GROUPS.flatMap(({ entries }) => entries);

export const FACT_IDS: ReadonlySet<string> = new Set(FACT_CATALOGUE.map((entry) => entry.id));
