import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { stateOfFeature } from '../../src/model/feature-table.ts';
import { entryOf, isWithin } from '../../src/model/flag-table.ts';
import { compareVersions } from '../../src/model/metric-table.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';
import { parseVersionRange } from '../../src/model/version-range.ts';
import { BOOK } from '../budget/fits.ts';
import { PLAYBOOK_TEXT, SIGNATURES } from '../playbooks/built-in.ts';

const ALL = tablesInForce().features;

it.each<[string, string, string]>([
  ['vllm.v1', '0.6.3', 'no'],
  ['vllm.v1', '0.6.4', 'asked'],
  ['vllm.v1', '0.8.0', 'default'],
  ['vllm.v1', '0.11.0rc1', 'always'],
  ['vllm.graphs-in-fraction', '0.28.1', 'depends'],
  ['vllm.graphs-in-fraction', '0.29.0', 'default'],
  ['vllm.v1', '25.09', 'depends'],
  ['vllm.v1', '0.1.dev1+g0ab1', 'depends'],
  ['vllm.start-compares-free', 'latest', 'depends'],
  ['sglang.piecewise-graphs', '0.5.3', 'no'],
  ['sglang.piecewise-graphs', '0.5.3.post2', 'asked'],
])('a behaviour of a version: %s of %s: %s', (id, version, state) => {
  expect(stateOfFeature(id, version)).toBe(state);
});

describe('the table of behaviours', () => {
  it('has every behaviour that the code asks for', () => {
    const src = join(import.meta.dirname, '../../src');
    const code = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const asked = code.flatMap((name) =>
      [...readFileSync(join(src, name), 'utf8').matchAll(/stateOfFeature\(\s*'([^']+)'/g)].map((match) => match[1]),
    );

    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter((id) => !ALL.some((one) => one.id === id))).toEqual([]);
  });

  it('leaves the graphs to the model runner in the very versions that have either', () => {
    const open = (id: string) => {
      const spans = ALL.find((one) => one.id === id)?.spans ?? [];
      const at = spans.findIndex(({ is }) => is === 'depends');
      return [spans[at]?.from, spans[at + 1]?.from];
    };

    expect(open('vllm.graphs-in-fraction')).toEqual(open('vllm.model-runner-2'));
  });
});

describe('what else has versions', () => {
  const ofVllm = SIGNATURES.filter(({ engine }) => engine === 'vllm').map((signature) => ({
    ...signature,
    range: parseVersionRange(signature.versions),
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

  it.each<[RegExp, string]>([[/V1 \(([\d.]+) and newer\) ignores it/, 'vllm.v1']])(
    'what the playbook says of %s is what the table says',
    (said, id) => {
      const version = said.exec(PLAYBOOK_TEXT.replaceAll(/\s+/g, ' '))?.[1] ?? '';

      const spans = ALL.find((one) => one.id === id)?.spans ?? [];

      expect(spans.find(({ is }) => is === 'default')?.from).toBe(version);
    },
  );

  it('the line that refuses a start for what is free comes with the comparison', () => {
    const line = ofVllm.find(({ id }) => id === 'vllm.start.free-less-than-desired');

    expect(stateOfFeature('vllm.start-compares-free', line?.range?.from ?? '')).toBe('always');
    expect(compareVersions(line?.range?.from ?? '', '0.9.1')).toBe(0);
  });

  it('a profile sets no flag outside of its versions', () => {
    const set = BOOK.profiles.flatMap(({ engine, set }) => set.map((setting) => ({ engine, ...setting })));
    const strange = set.filter(({ engine, flag, since, until }) => {
      const entry = entryOf(engine, flag);
      return entry === undefined || [since, until].some((one) => one !== undefined && !isWithin(one, entry));
    });

    expect(strange).toEqual([]);
  });
});
