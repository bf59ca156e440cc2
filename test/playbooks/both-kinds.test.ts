import { describe, expect, it } from 'vitest';
import type { Fact, Facts } from '../../src/model/fact.ts';
import type { Finding } from '../../src/playbook/compiled.ts';
import { judge } from '../../src/playbook/judge.ts';
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
  'other',
];

const of = (engine: string | undefined): Facts => {
  const name: Fact = {
    kind: 'known',
    value: engine ?? '',
    from: [{ kind: 'line', file: 'args.txt', line: 1, text: engine ?? '' }],
  };
  return new Map(engine === undefined ? [] : [['engine.name', name]]);
};

/** The kinds that a finding has something to say about where nothing but the engine is known. */
function kindsOf({ offers, without }: Finding, engine: string | undefined): string[] {
  const made = offers.filter(
    ({ condition }) => condition === undefined || judge(condition, of(engine)).answer === 'yes',
  );
  return [...new Set([...made, ...without].map(({ kind }) => kind))].toSorted();
}

describe('every finding of a memory that failed', () => {
  it('is one of many', () => {
    expect(FINDINGS.length).toBeGreaterThan(60);
  });

  it.each(ENGINES)('offers what stops the bleeding and what lasts, or says why not, for %s', (engine) => {
    const silent = FINDINGS.map((finding) => ({ id: finding.id, kinds: kindsOf(finding, engine) })).filter(
      ({ kinds }) => kinds.length < 2,
    );

    expect(silent).toEqual([]);
  });

  it('asks for no other fraction where the engine has none', () => {
    const wrong = FINDINGS.filter(({ plane }) => plane === 'gpu').flatMap(({ id, offers }) =>
      offers
        .filter(({ condition }) => condition === undefined || judge(condition, of('llama.cpp')).answer === 'yes')
        .map(({ says }) => says.filter((part) => typeof part === 'string').join(''))
        .filter((text) => /\b(?:lower|raise) the fraction(?! of the other)/i.test(text))
        .map((text) => `${id}: ${text}`),
    );

    expect(wrong).toEqual([]);
  });
});
