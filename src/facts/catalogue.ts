import type { FactEntry } from '../model/fact.ts';
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
import { LOG_FACTS } from './catalogue/log.ts';
import { RAM_FACTS } from './catalogue/ram.ts';
import { RAM_ROOM_FACTS } from './catalogue/ram-room.ts';
import { RAM_START_FACTS } from './catalogue/ram-start.ts';
import { TOLD_FACTS } from './catalogue/told.ts';
import { WRAPPER_FACTS } from './catalogue/wrapper.ts';

/** Every fact a playbook may ask for. Order is the order of `oom playbook facts`. */
export const FACT_CATALOGUE: readonly FactEntry[] = [
  ...DEATH_FACTS,
  ...RAM_FACTS,
  ...RAM_START_FACTS,
  ...RAM_ROOM_FACTS,
  ...GPU_FACTS,
  ...GPU_START_FACTS,
  ...ENGINE_FACTS,
  ...WRAPPER_FACTS,
  ...TOLD_FACTS,
  ...LOG_FACTS,
  ...LOAD_FACTS,
  ...BEFORE_FACTS,
  ...ADVICE_FACTS,
  ...KNOB_FACTS,
  ...AMPLIFIER_FACTS,
  ...LASTING_FACTS,
];

export const FACT_IDS: ReadonlySet<string> = new Set(FACT_CATALOGUE.map((entry) => entry.id));
