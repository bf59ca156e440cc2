import { engineName } from '../../model/engine-names.ts';
import type { Facts } from '../../model/fact.ts';
import { GIB } from '../../model/quantity.ts';
import type { Verdict } from '../../model/verdict.ts';
import { knownNumber, knownValue, shownValue } from './report-input.ts';
import { clip, counted, type Words } from './sentence.ts';

/** The workload, for someone who does not know it: pod, engine, GPU and age, as far as the evidence has them. */
export function headItems(facts: Facts, { plane }: Pick<Verdict, 'plane'>): Words[] {
  // After two failures in a row the pod status describes only the second container.
  const age = plane === 'both' ? '' : ageLine(facts);
  const engine = line([engineLine(facts), gpuLine(facts)]);
  const status = line([engine, age], ' · ');
  const lines = status.length <= ONE_LINE ? [podLine(facts), status] : [podLine(facts), engine, age];
  return lines.flatMap((line) => (line === '' ? [] : [[clip(line, 400)]]));
}

// A bullet on a terminal of 100 columns.
const ONE_LINE = 96;

function line(parts: readonly (string | undefined)[], between = ', '): string {
  return parts.filter((part) => part !== undefined && part !== '').join(between);
}

const before = (word: string, text: string | undefined): string | undefined =>
  text === undefined ? undefined : `${word} ${text}`;

function podLine(facts: Facts): string {
  return line([
    before('pod', shownValue(facts, 'pod.name', 'text')),
    before('container', shownValue(facts, 'death.container', 'text')),
    before('node', shownValue(facts, 'pod.node', 'text')),
  ]);
}

function engineLine(facts: Facts): string {
  const name = shownValue(facts, 'engine.name', 'text');
  const generation = shownValue(facts, 'engine.generation', 'choice');
  const engine =
    name === undefined
      ? undefined
      : line(
          [engineName(name), shownValue(facts, 'engine.version', 'text'), generation && `(engine ${generation})`],
          ' ',
        );
  return line([engine, before('model', modelWords(facts))]);
}

// An unresolved variable is not a model name, but the reader may know its value.
function modelWords(facts: Facts): string | undefined {
  const model = facts.get('engine.model');
  if (model?.kind === 'unknown' && model.reason === 'empty') return `unknown: ${model.detail}`;
  return shownValue(facts, 'engine.model', 'text');
}

function gpuLine(facts: Facts): string {
  const count = knownNumber(facts, 'gpu.count');
  const product = shownValue(facts, 'gpu.product', 'text');
  const total = shownValue(facts, 'gpu.total', 'bytes');
  if (count === undefined && product === undefined && total === undefined) return '';
  const gpus = count === undefined ? 'GPU' : counted(count, 'GPU');
  // GPUs that differ: the figures of one do not hold for each.
  if (knownValue(facts, 'gpu.uneven') === true) return `${gpus} that differ; one is ${line([product, total])}`;
  const each = count !== undefined && count > 1 ? ' each' : '';
  const isNamed = product !== undefined && namesSize(product, knownNumber(facts, 'gpu.total'));
  return line([gpus, product, total === undefined || isNamed ? undefined : `${total}${each}`]);
}

const SIZE_IN_NAME = /(\d+(?:\.\d+)?) ?GiB/;

// `24 GB class (22.05 GiB)`: a product name may include the memory size.
function namesSize(product: string, total: number | undefined): boolean {
  const named = Number(SIZE_IN_NAME.exec(product)?.[1]) * GIB;
  return total !== undefined && Math.abs(named - total) < total / 100;
}

function ageLine(facts: Facts): string {
  const age = shownValue(facts, 'death.uptime', 'duration');
  const ready = knownValue(facts, 'engine.became-ready');
  const restarts = knownNumber(facts, 'death.restarts');
  const readiness = ready === true ? 'became ready' : ready === false ? 'never ready' : undefined;
  const again = restarts === undefined || restarts === 0 ? undefined : `restarts: ${restarts}`;
  return line([before('process age', age), readiness, again]);
}
