import { engineKey } from '../model/engine-names.ts';
import type { Facts } from '../model/fact.ts';
import { flagOfKnob } from '../model/knob-table.ts';
import type { Cause } from '../model/taxonomy.ts';
import { knownNumber, shownValue } from './words/report-input.ts';

// Failures in which one long request takes what many short ones share.
const OF_LENGTH: readonly Cause[] = [
  'gpu.startup.kv-room',
  'gpu.burst.long-context',
  'gpu.burst.concurrency',
  'gpu.burst.batched-tokens',
];

/** Below this share of the maximum length, 95% of the prompts leave most of it to the others. */
const SHORT = 0.25;

/** Whether long and short requests belong into separate deployments, and with which lengths; undefined for other causes. */
export function poolWords(cause: Cause, facts: Facts): string | undefined {
  if (!OF_LENGTH.includes(cause)) return undefined;
  const [p95, most] = [knownNumber(facts, 'requests.prompt-p95'), knownNumber(facts, 'engine.max-model-len')];
  if (p95 === undefined) return 'No data: the evidence has no prompt lengths (metrics, or a gateway log).';
  const lengths = `P95 prompt ${count(p95)} tokens`;
  if (most === undefined) return `${lengths}; the maximum length is unknown.`;
  const both = `${lengths}, maximum length ${count(most)}`;
  if (p95 > SHORT * most) return `${both}: lengths are close, so one pool is enough.`;
  const [length, sequences] = flagsOf(facts);
  return `${both}: serve long prompts from a second deployment. Short pool: ${length} of ${count(p95)} plus the longest output. Long pool: ${length} ${count(most)}, and fewer sequences (${sequences}).`;
}

function flagsOf(facts: Facts): readonly [length: string, sequences: string] {
  const engine = engineKey(shownValue(facts, 'engine.name', 'text') ?? '');
  return [flagOfKnob(engine, 'length') ?? 'maximum length', flagOfKnob(engine, 'sequences') ?? 'concurrent sequences'];
}

function count(tokens: number): string {
  return Math.round(tokens).toLocaleString('en-US');
}
