import { describe, expect, it } from 'vitest';
import type { Fact, Facts } from '../../src/model/fact.ts';
import { isOffered } from '../../src/playbook/diagnose.ts';
import { COMPILED } from './shipped.ts';

const FINDINGS = (COMPILED.kind === 'sound' ? COMPILED.playbook.findings : []).filter(({ plane }) => plane === 'gpu');
const TRANSFORMERS: Facts = new Map(
  Object.entries({ 'engine.name': 'transformers', 'knob.no-fraction': true, 'engine.hands-over': true }).map(
    ([id, value]): [string, Fact] => [id, { kind: 'known', value, from: [] }],
  ),
);

describe('a finding of a memory that failed', () => {
  // What only hands requests to a model takes no pool, captures no graphs and does not sleep. PyTorch can bound it by a
  // fraction all the same.
  const NOT_OF_HANDED = /^gpu-(?:startup|waking|burst-bound)/;
  // What is proved by a pool or by steps of an engine that batches, and the edge of a card, which has a text of its own.
  const OF_A_POOL = /^gpu-(?:burst-(?:pool|alone|edge|step|batch-probable)|saturated|pool|prefix|undated-trial|late)/;
  it('speaks to what only hands requests to a model of no pool, trial or bound that it has not', () => {
    const foreign =
      /\b(?:KV pool|trial run|batched tokens|(?:number of|the) sequences|tokens of one pass|outside the pool|beside the pool)\b/i;
    const wrong = FINDINGS.filter(({ id }) => !NOT_OF_HANDED.test(id) && !OF_A_POOL.test(id)).flatMap(
      ({ id, offers }) =>
        offers
          .filter((offer) => isOffered(offer, TRANSFORMERS))
          .map(({ says }) => says.filter((part) => typeof part === 'string').join(''))
          .filter((text) => foreign.test(text))
          .map((text) => `${id}: ${text}`),
    );

    expect(wrong).toEqual([]);
  });
});
