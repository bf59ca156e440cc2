import { describe, expect, it } from 'vitest';
import type { Fact, Facts } from '../../src/model/fact.ts';
import type { Finding } from '../../src/playbook/compiled.ts';
import { isOffered } from '../../src/playbook/diagnose.ts';
import { COMPILED } from './shipped.ts';

const MEMORY = new Set(['gpu', 'host', 'both']);
const FINDINGS = (COMPILED.kind === 'sound' ? COMPILED.playbook.findings : []).filter(({ plane }) => MEMORY.has(plane));
const ENGINES = [
  undefined,
  'vllm',
  'sglang',
  'tgi',
  'lmdeploy',
  'tensorrt-llm',
  'triton',
  'llama.cpp',
  'ollama',
  'transformers',
  'other',
];

const WITHOUT_FRACTION = ['llama.cpp', 'ollama', 'transformers'];

const of = (engine: string | undefined): Facts => {
  if (engine === undefined) return new Map();
  const known = (value: string | boolean): Fact => ({
    kind: 'known',
    value,
    from: [{ kind: 'line', file: 'args.txt', line: 1, text: engine }],
  });
  const hasNone = WITHOUT_FRACTION.includes(engine);
  return new Map([
    ['engine.name', known(engine)],
    ...(hasNone ? [['knob.no-fraction', known(true)] as const] : []),
    ...(engine === 'transformers' ? [['engine.hands-over', known(true)] as const] : []),
  ]);
};

/** The kinds that a finding has something to say about where nothing but the engine is known. */
function kindsOf({ offers, without }: Finding, engine: string | undefined): string[] {
  const made = offers.filter((offer) => isOffered(offer, of(engine)));
  return [...new Set([...made, ...without].map(({ kind }) => kind))].toSorted();
}

describe('every finding of a memory that failed', () => {
  it('is one of many', () => {
    expect(FINDINGS.length).toBeGreaterThan(60);
  });

  // What only hands requests to a model takes no pool, captures no graphs and does not sleep. PyTorch can bound it by a
  // fraction all the same.
  const NOT_OF_HANDED = /^gpu-(?:startup|waking|burst-bound)/;
  // What is proved by a pool or by steps of an engine that batches, and the edge of a card, which has a text of its own.
  const OF_A_POOL = /^gpu-(?:burst-(?:pool|alone|edge|step|batch-probable)|saturated|pool|prefix|undated-trial|late)/;
  const findingsOf = (engine: string | undefined) =>
    FINDINGS.filter(({ id }) => engine !== 'transformers' || !NOT_OF_HANDED.test(id));

  it.each(ENGINES)('offers what stops the bleeding and what lasts, or says why not, for %s', (engine) => {
    const silent = findingsOf(engine)
      .map((finding) => ({ id: finding.id, kinds: kindsOf(finding, engine) }))
      .filter(({ kinds }) => kinds.length < 2);

    expect(silent).toEqual([]);
  });

  it('speaks to what only hands requests to a model of no pool, trial or bound that it has not', () => {
    const foreign =
      /\b(?:KV pool|trial run|batched tokens|(?:number of|the) sequences|tokens of one pass|outside the pool|beside the pool)\b/i;
    const wrong = findingsOf('transformers')
      .filter(({ plane, id }) => plane === 'gpu' && !OF_A_POOL.test(id))
      .flatMap(({ id, offers }) =>
        offers
          .filter((offer) => isOffered(offer, of('transformers')))
          .map(({ says }) => says.filter((part) => typeof part === 'string').join(''))
          .filter((text) => foreign.test(text))
          .map((text) => `${id}: ${text}`),
      );

    expect(wrong).toEqual([]);
  });

  it.each(WITHOUT_FRACTION)('asks %s for no other fraction, which it has none of', (engine) => {
    const wrong = findingsOf(engine)
      .filter(({ plane }) => plane === 'gpu')
      .flatMap(({ id, offers }) =>
        offers
          .filter((offer) => isOffered(offer, of(engine)))
          .map(({ says }) => says.filter((part) => typeof part === 'string').join(''))
          .filter((text) => /\b(?:lower|raise) the fraction(?! of the other)/i.test(text))
          .map((text) => `${id}: ${text}`),
      );

    expect(wrong).toEqual([]);
  });
});
