import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DEFAULT_ROWS } from '../../src/model/default-table.data.ts';
import { FEATURES, type Feature } from '../../src/model/feature-table.data.ts';
import { type FeatureId, stateOfFeature } from '../../src/model/feature-table.ts';
import { entryOf, isWithin } from '../../src/model/flag-table.ts';
import { compareVersions } from '../../src/model/metric-table.ts';
import { parseVersionRange } from '../../src/model/version-range.ts';
import { BOOK } from '../budget/fits.ts';
import { PHRASES, PLAYBOOKS } from '../playbooks/shipped.ts';

const PLAYBOOK = readFileSync(join(PLAYBOOKS, 'oom/playbook.yaml'), 'utf8');
const ALL: readonly Feature[] = FEATURES;

describe('a behaviour of a version', () => {
  it.each<[FeatureId, string, string]>([
    ['vllm.v1', '0.6.3', 'no'],
    ['vllm.v1', '0.6.4', 'asked'],
    ['vllm.v1', '0.7.3', 'asked'],
    ['vllm.v1', '0.8.0', 'default'],
    ['vllm.v1', '0.10.2', 'default'],
    ['vllm.v1', '0.11.0rc1', 'always'],
    ['vllm.graphs-in-fraction', '0.20.2', 'asked'],
    ['vllm.graphs-in-fraction', '0.21.0', 'default'],
    ['vllm.graphs-in-fraction', '0.28.1', 'depends'],
    ['vllm.graphs-in-fraction', '0.29.0', 'default'],
    ['vllm.start-compares-free', '0.9.0', 'no'],
    ['vllm.start-compares-free', '0.9.1', 'always'],
    ['vllm.sleep-against-segments', '0.13.3', 'always'],
    ['vllm.sleep-against-segments', '0.14.0', 'no'],
    ['vllm.v1', '25.09', 'depends'],
    ['vllm.v1', '0.1.dev1+g0ab1', 'depends'],
    ['vllm.start-compares-free', 'latest', 'depends'],
    ['sglang.piecewise-graphs', '0.5.3', 'no'],
    ['sglang.piecewise-graphs', '0.5.3.post2', 'asked'],
  ])('%s of %s: %s', (id, version, state) => {
    expect(stateOfFeature(id, version)).toBe(state);
  });
});

describe('the table of behaviours', () => {
  it('leaves no gap, and begins a span only where the state changes', () => {
    for (const { id, spans, source } of ALL) {
      expect(spans[0]?.[0], id).toBeNull();
      expect(source, id).not.toBe('');
      for (const [i, [from, state]] of spans.entries()) {
        const before = spans[i - 1];
        if (before === undefined) continue;
        expect(from !== null && isWithin(from, { since: before[0], until: null }), `${id} ${from}`).toBe(true);
        expect(state, `${id} ${from}`).not.toBe(before[1]);
      }
    }
  });

  it('begins with the flag that asks for it, whose default says from when it is not asked any more', () => {
    for (const { id, engine, spans, by } of ALL) {
      if (by === undefined) continue;
      const entry = entryOf(engine, by);
      expect(entry?.since, id).toBe(spans.find(([, state]) => state !== 'no')?.[0]);
      expect(entry?.default, id).toContain(spans.find(([, state]) => state !== 'no' && state !== 'asked')?.[0]);
    }
  });

  it('leaves the graphs to the model runner in the very versions that have either', () => {
    const open = (id: FeatureId) => {
      const spans = ALL.find((one) => one.id === id)?.spans ?? [];
      const at = spans.findIndex(([, state]) => state === 'depends');
      return [spans[at]?.[0], spans[at + 1]?.[0]];
    };

    expect(open('vllm.graphs-in-fraction')).toEqual(open('vllm.model-runner-2'));
  });
});

describe('what else has versions', () => {
  const ofVllm = PHRASES.filter(({ engine }) => engine === 'vllm').map((phrase) => ({
    ...phrase,
    range: parseVersionRange(phrase.versions),
  }));
  const remarked = (generation: string) =>
    ofVllm.filter(({ versions }) => new RegExp(`\\(${generation}\\b`).test(versions));

  it('lines of V0 end with it', () => {
    expect(remarked('V0').length).toBeGreaterThan(10);
    expect(
      remarked('V0').filter(({ range }) => range?.to === undefined || stateOfFeature('vllm.v1', range.to) === 'always'),
    ).toEqual([]);
  });

  it('lines of V1 do not begin before it', () => {
    expect(remarked('V1').length).toBeGreaterThan(15);
    expect(
      remarked('V1').filter(({ range }) => range?.from === undefined || stateOfFeature('vllm.v1', range.from) === 'no'),
    ).toEqual([]);
  });

  it('lines of the first model runner end before the second is the default', () => {
    const first = ofVllm.filter(({ versions }) => /first model runner/.test(versions));

    expect(first.length).toBeGreaterThan(1);
    expect(first.filter(({ range }) => stateOfFeature('vllm.model-runner-2', range?.to ?? '99') === 'default')).toEqual(
      [],
    );
  });

  it.each<[RegExp, FeatureId]>([
    [/before vLLM ([\d.]+) graphs live outside the fraction/, 'vllm.graphs-in-fraction'],
    [/in V1 \(from ([\d.]+)\) it does nothing/, 'vllm.v1'],
  ])('what the playbook says of %s is what the table says', (said, id) => {
    const version = said.exec(PLAYBOOK.replaceAll(/\s+/g, ' '))?.[1] ?? '';

    const spans = ALL.find((one) => one.id === id)?.spans ?? [];

    expect(spans.find(([, state]) => state === 'default')?.[0]).toBe(version);
  });

  it('the line that refuses a start for what is free comes with the comparison', () => {
    const line = ofVllm.find(({ id }) => id === 'vllm.start.free-less-than-desired');

    expect(stateOfFeature('vllm.start-compares-free', line?.range?.from ?? '')).toBe('always');
    expect(compareVersions(line?.range?.from ?? '', '0.9.1')).toBe(0);
  });

  it('a default is one of a flag that is there in those versions', () => {
    const strange = DEFAULT_ROWS.filter(({ engine, flag, from, to }) => {
      const entry = entryOf(engine, flag);
      if (entry === undefined) return false;
      return [from, to].some((version) => version !== undefined && !isWithin(version, entry));
    });

    expect(strange).toEqual([]);
  });

  it('a profile sets no flag outside of its versions', () => {
    const set = BOOK.profiles.flatMap(({ engine, set }) => set.map((setting) => ({ engine, ...setting })));
    const strange = set.filter(({ engine, flag, since, until }) => {
      const entry = entryOf(engine, flag);
      return entry === undefined || [since, until].some((one) => one !== undefined && !isWithin(one, entry));
    });

    expect(strange).toEqual([]);
  });

  it('the table of flags tells the defaults that are reckoned with', () => {
    const silent = DEFAULT_ROWS.filter(({ engine, flag, value }) => {
      const entry = entryOf(engine, flag);
      return entry !== undefined && value !== undefined && !says(entry.default, value);
    }).map(({ engine, flag, value }) => `${engine} ${flag} ${value}: ${entryOf(engine, flag)?.default}`);

    expect(silent).toEqual([]);
  });
});

// `off in V0, ON in V1` says `true` and `false`, `1.0` says `1`.
function says(text: string, value: string): boolean {
  const words = text.toLowerCase().match(/[\w.-]*[\w]/g) ?? [];
  const switched = { true: 'on', false: 'off' }[value];
  return words.some((word) => word === value || word === switched || (word !== '' && Number(word) === Number(value)));
}
