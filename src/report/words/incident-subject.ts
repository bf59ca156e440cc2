import { engineName } from '../../model/engine-names.ts';
import type { Facts } from '../../model/fact.ts';
import { GIB } from '../../model/quantity.ts';
import type { Verdict } from '../../model/verdict.ts';
import { knownNumber, knownValue, shownValue } from './report-input.ts';
import { clip, type Words } from './sentence.ts';

/** What this is about, for someone who has never heard of it: pod, engine, GPU and age, as far as the evidence tells. */
export function headItems(facts: Facts, { plane }: Pick<Verdict, 'plane'>): Words[] {
  // Of two failures in sequence the status tells of the second run, and the story of both.
  const age = plane === 'both' ? '' : ageLine(facts);
  const lines = [podLine(facts), engineLine(facts), gpuLine(facts), age];
  return lines.flatMap((line) => (line === '' ? [] : [[clip(line, 400)]]));
}

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
  return line([before('engine', engine), before('model', modelWords(facts))]);
}

// A variable that nothing resolves is no model, and somebody may know what it holds.
function modelWords(facts: Facts): string | undefined {
  const model = facts.get('engine.model');
  if (model?.kind === 'unknown' && model.reason === 'empty') return `not known: ${model.detail}`;
  return shownValue(facts, 'engine.model', 'text');
}

function gpuLine(facts: Facts): string {
  const count = knownNumber(facts, 'gpu.count');
  const product = shownValue(facts, 'gpu.product', 'text');
  const total = shownValue(facts, 'gpu.total', 'bytes');
  if (count === undefined && product === undefined && total === undefined) return '';
  const gpus = count === undefined ? 'GPU' : `${count} ${count === 1 ? 'GPU' : 'GPUs'}`;
  // Cards that differ: what is known of one is not said of each.
  if (knownValue(facts, 'gpu.uneven') === true) return `${gpus} that differ; one is ${line([product, total])}`;
  const each = count !== undefined && count > 1 ? ' each' : '';
  const isNamed = product !== undefined && namesSize(product, knownNumber(facts, 'gpu.total'));
  return line([gpus, product, total === undefined || isNamed ? undefined : `${total}${each}`]);
}

const SIZE_IN_NAME = /(\d+(?:\.\d+)?) ?GiB/;

// `24 GB class (22.05 GiB)`: what people write for a model may hold its memory.
function namesSize(product: string, total: number | undefined): boolean {
  const named = Number(SIZE_IN_NAME.exec(product)?.[1]) * GIB;
  return total !== undefined && Math.abs(named - total) < total / 100;
}

function ageLine(facts: Facts): string {
  const age = shownValue(facts, 'death.uptime', 'duration');
  const ready = knownValue(facts, 'engine.became-ready');
  const restarts = knownNumber(facts, 'death.restarts');
  const readiness = ready === true ? 'it became ready' : ready === false ? 'it did not become ready' : undefined;
  const again = restarts === undefined || restarts === 0 ? undefined : `restarts so far: ${restarts}`;
  return line([before('age of the process', age), readiness, again]);
}
