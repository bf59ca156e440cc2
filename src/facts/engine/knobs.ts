import type { Cited } from '../../model/engine-reader.ts';
import type { Fact } from '../../model/fact.ts';
import { SET_BY, spellKnob, TOLD_KNOBS } from '../../model/knob-spelling.ts';
import { LENGTH_SHARE, ROOM_OUTSIDE_BYTES, wholeBlocks } from '../../model/safe-values.ts';
import { citedNumber, computed, fact, type Group } from '../draft.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { citeHit } from '../evidence/weigh.ts';
import { BY_BUFFERS } from '../gpu/gpu-layers.ts';
import { readSlice } from '../gpu/slice.ts';

type Facts = Readonly<Record<string, Fact | undefined>>;

/** What the engine at hand calls each knob, and the sums of the engines that size by buffers. */
export function deriveKnobs(evidence: Evidence, facts: Facts): Group {
  const named = namedFlags(evidence);
  return {
    ...spelled(facts, textOf(named)?.value),
    ...(readSlice(evidence) === undefined ? {} : { 'knob.ranks': undefined }),
    'log.named-flags': named,
    ...contextOf(evidence, facts),
  };
}

// What takes its memory in buffers, or for each request as it comes, keeps no pool that a fraction would size.

// What the error itself tells to change, the engine has.
function namedFlags({ weighing }: Evidence): Fact | undefined {
  const said = weighing.all.filter(
    ({ phrase: { plane, weight } }) => (plane === 'gpu' || plane === 'host') && weight !== 'context',
  );
  const named = said.map((weighed) => ({
    weighed,
    flags: weighed.hit.text.match(/(?<![\w-])--[a-z][a-z0-9-]+/g) ?? [],
  }));
  const naming = named.filter(({ flags }) => flags.length > 0);
  const flags = [...new Set(naming.flatMap((one) => one.flags))].slice(0, MOST_FLAGS);
  return flags.length === 0
    ? undefined
    : fact(
        flags.join(' '),
        naming.map(({ weighed }) => citeHit(weighed)),
      );
}

const MOST_FLAGS = 8;

// The fraction as engines call it in their advice, flag or field.
// A terminal that wraps breaks the sentence into so many lines more.

// Known only where it is so: where an error names no knob, nobody has to look for one.

function spelled(facts: Facts, named: string | undefined): Group {
  const [name, version] = [textOf(facts['engine.name']), textOf(facts['engine.version'])];
  if (name === undefined) return {};
  const setBy = SET_BY.find((one) => one === textOf(facts['engine.set-by'])?.value);
  return Object.fromEntries([
    ...TOLD_KNOBS.map((knob) => [
      `knob.${knob}`,
      fact(spellKnob({ engine: name.value, version: version?.value, named, setBy }, knob), [name.from]),
    ]),
  ]);
}

function textOf(found: Fact | undefined): Cited<string> | undefined {
  if (found?.kind !== 'known' || typeof found.value !== 'string') return undefined;
  const from = found.from[0];
  return from && { value: found.value, from };
}

// Below this an answer is cut off in the middle of most conversations; it is the least that either engine ever defaulted to.
const LEAST_CONTEXT = 2048;

// The cache is taken at the start in full for the whole context: its size goes with the context and with nothing else here.
function contextOf({ weighing }: Evidence, facts: Facts): Group {
  if (!BY_BUFFERS.has(textOf(facts['engine.name'])?.value ?? '')) return {};
  const of = (id: string) => citedNumber(facts[id]);
  const context = of('engine.max-model-len');
  const isOfCache = weighing.all.some(({ phrase }) => phrase.id === 'llamacpp.kv-buffer');
  const isOneCard = (citedNumber(facts['engine.devices'])?.value ?? 1) === 1;
  const parts = [context, of('gpu.want'), smaller(of('engine.load-free'), of('gpu.total')), of('engine.weights')];
  const fits =
    isOfCache && isOneCard
      ? computed(parts, (tokens, wanted, holds, weights) =>
          atLeast(tokens, (LENGTH_SHARE * tokens * (holds - weights - ROOM_OUTSIDE_BYTES)) / wanted),
        )
      : undefined;
  return {
    'advice.context-fit': fits,
  };
}

// A card that others use as well holds no more than was free of it.
function smaller(free: Cited<number> | undefined, total: Cited<number> | undefined): Cited<number> | undefined {
  return free !== undefined && total !== undefined && total.value < free.value ? total : (free ?? total);
}

// llama.cpp pads the context to whole blocks of 256 cells.
function atLeast(tokens: number, wanted: number): number | undefined {
  const next = wholeBlocks(wanted, 256);
  return next >= LEAST_CONTEXT && next < tokens ? next : undefined;
}
