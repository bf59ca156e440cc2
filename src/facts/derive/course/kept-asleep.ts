import type { LineCitation } from '../../../model/citation.ts';
import type { Fact } from '../../../model/fact.ts';
import { parseSize } from '../../../model/quantity.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { allLastLines } from '../weigh/tail-lines.ts';

type State = 'before' | 'asleep' | 'awake';
/** `sized`: with a unit of its own; others have that of their heading. */
type Reading = {
  readonly state: State;
  readonly value: number;
  readonly sized: boolean;
  readonly from: LineCitation;
};

const RAM = /\bfree -[ghm]\b|\b(?:RAM|RSS|host memory|system memory|node memory)\b|内存/i;
const DEVICE = /\b(?:gpus?|vram|hbm|cuda|nvidia-smi)\b|显存/i;
// The state that a clause names last before its figure: `two minutes after wake_up: used 101`.
const STATES: readonly (readonly [State, RegExp])[] = [
  ['awake', /\b(?:awake|woken|woke|wak(?:e|es|ing)[-_ ]?up|resumed?)\b/i],
  ['before', /\bbefore\b|\b(?:start(?:ed|-?up)?|loaded|engine up|ready)\b|\bafter (?:the )?(?:start|load)/i],
  ['asleep', /\b(?:asleep|sleeps?|sleeping|slept)\b/i],
];
const FIGURE = /(?<![\w.,-])\d{1,7}(?:\.\d{1,3})?\s?(?:[MGT]i?B?)?(?![\w.:-])/g;
// Weights are gibibytes; a level that is held is the same within what a process needs from hour to hour.
const LEAST_RISE = 1.2;
const HELD = 0.9;

/**
 * Whether RAM rose as an engine was put to sleep and was not given back when it woke, by readings that people kept. At
 * level 1 the weights go to pinned buffers, which PyTorch's allocator of pinned memory keeps for the next time
 * (vllm-project/vllm vllm/device_allocator/cumem.py, sleep; pytorch/pytorch aten/src/ATen/core/CachingHostAllocator.h).
 */
export function readKeptAsleep({ readings }: Pick<Evidence, 'readings'>): Fact | undefined {
  const told = readings.logs.map((log) => readStates(allLastLines(log)));
  return told.flatMap((own) => keptIn(own) ?? []).at(0);
}

function keptIn(told: readonly Reading[]): Fact | undefined {
  const [before, asleep, awake] = (['before', 'asleep', 'awake'] as const).map((state) =>
    told.filter((one) => one.state === state),
  );
  const [first, slept, woke] = [before?.[0], asleep?.[0], awake?.at(-1)];
  if (first === undefined || slept === undefined || woke === undefined) return undefined;
  if (first.sized !== slept.sized || woke.sized !== slept.sized) return undefined;
  const rose = slept.value >= first.value * LEAST_RISE;
  return rose && woke.value >= slept.value * HELD ? fact(true, [first.from, woke.from]) : undefined;
}

function readStates(lines: readonly LineCitation[]): readonly Reading[] {
  return lines.flatMap((from, at) => {
    const about = lines.slice(Math.max(0, at - HEADED), at + 1).map(({ text }) => text);
    if (!about.some((text) => RAM.test(text)) || about.some((text) => DEVICE.test(text))) return [];
    return from.text.split(/[;,]|->|→/).flatMap((clause) => readClause(clause, from));
  });
}

// Rows stand below the line that says what was read.
const HEADED = 8;

function readClause(clause: string, from: LineCitation): readonly Reading[] {
  const state = STATES.find(([, words]) => words.test(clause))?.[0];
  const figure = clause.match(FIGURE)?.at(-1);
  if (state === undefined || figure === undefined) return [];
  const bytes = parseSize(figure);
  return [{ state, value: bytes ?? Number(figure), sized: bytes !== undefined, from }];
}
