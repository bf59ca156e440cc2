import { describe, expect, it } from 'vitest';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { diagnose } from '../../src/playbook/diagnose.ts';
import { CATALOGUES, factsOf, playbookOf, saidAbout, smallText } from './builders.ts';

const WHOLE = { path: 'oom/playbook.yaml', text: smallText() };

function saidOf(...texts: readonly string[]): string[] {
  const more = texts.map((text, index) => ({ path: `oom/part-${index}.yaml`, text }));
  const compiled = compilePlaybook([WHOLE, ...more], CATALOGUES);
  const problems = compiled.kind === 'bad' ? compiled.problems : compiled.warnings;
  return problems.map(({ file, line, message }) => `${file}:${line} ${message}`);
}

describe('a playbook of several files', () => {
  it('takes sections from each, and tells a problem with its own file', () => {
    expect(saidOf('thresholds:\n  spare: { value: 1, why: w, source: s }\n')).toEqual([
      'oom/part-0.yaml:2 no condition uses threshold spare',
    ]);
  });

  it('names both places of what is defined twice', () => {
    expect(saidOf('thresholds:\n  pool-full: { value: 1, why: w, source: s }\n')).toEqual([
      'oom/part-0.yaml:2 pool-full is already defined in oom/playbook.yaml:5',
    ]);
  });

  it('says which section no file has', () => {
    const compiled = compilePlaybook([{ path: 'oom/tree/a.yaml', text: 'thresholds: {}\n' }], CATALOGUES);

    expect(compiled.kind === 'bad' && compiled.problems.map(({ message }) => message)).toEqual([
      'no file of the playbook has `playbook`',
      'no file of the playbook has `questions`',
      'no file of the playbook has `findings`',
    ]);
  });
});

describe('a list of branches', () => {
  const edge = /^ {6}- id: edge\n.*\n.*\n/m.exec(smallText())?.[0] ?? '';
  const split = smallText([edge, '      - branches: last\n']);

  it('stands where its name does', () => {
    const whole = `${split}branches:\n  last:\n${edge.replaceAll(/^ {2}/gm, '')}`;
    const ids = playbookOf(whole).questions.flatMap(({ branches }) => branches.map(({ id }) => id));

    expect(ids).toEqual(playbookOf(smallText()).questions.flatMap(({ branches }) => branches.map(({ id }) => id)));
  });

  it('that nobody defines, or names, is told', () => {
    expect(saidAbout(split).join()).toContain('no list of branches called last');
    expect(saidAbout(`${smallText()}branches:\n  last:\n${edge.replaceAll(/^ {2}/gm, '')}`)).toEqual([
      expect.stringContaining('no question has the branches last'),
    ]);
  });
});

describe('remedies by name', () => {
  const advice = (name: string, says: string, more = '') =>
    `  ${name}: { action: advise, kind: lasting, direction: none, says: ${says}${more} }\n`;
  const EDGE = { 'gpu.oom-logged': true, 'gpu.want': 20, 'engine.became-ready': true, 'gpu.oom-uptime': 9000 };
  const groupOf = (way: string) =>
    `${smallText(['remedies: [join-fragments]', 'remedies: [more]'])}${advice('a', 'A', ', engines: [vllm]')}${advice('b', 'B')}groups: { more: { ${way}: [a, b] }, rest: { all-of: [join-fragments] } }\n`;

  it.each([
    ['first-of', 'vllm', ['A']],
    ['first-of', 'tgi', ['B']],
    ['all-of', 'vllm', ['A', 'B']],
  ])('%s for %s', (way, engine, said) => {
    const facts = factsOf({ ...EDGE, 'engine.name': engine, 'prefix-cache.enabled': false });
    const { remedies } = diagnose(playbookOf(groupOf(way)), facts, 'snap').verdict;

    expect(remedies.map(({ says }) => says)).toEqual(said);
  });

  it.each([
    ['an unknown name', ['remedies: [raise-limit]', 'remedies: [raise-limt]'], 'no remedy called raise-limt'],
    ['one that nobody names', ['remedies: [raise-limit]', 'remedies: []'], 'no finding has remedy raise-limit'],
  ] as const)('%s is told', (_, change, said) => {
    expect(saidAbout(smallText(change)).join()).toContain(said);
  });

  it('the same under two names is told, and so is a group that is called as a remedy', () => {
    const twin = advice('larger-card', 'Use a quantised model or a larger card.');

    expect(saidAbout(`${smallText(['[raise-limit]', '[raise-limit, larger-card]'])}${twin}`)).toEqual([
      expect.stringContaining('larger-card is the same as smaller-model: keep one of them'),
    ]);
    expect(saidAbout(`${smallText()}groups: { raise-limit: { all-of: [smaller-model] } }\n`).join()).toContain(
      'raise-limit is the name of a remedy',
    );
  });
});

describe('a threshold of the configuration', () => {
  const withThresholds = (thresholds: Readonly<Record<string, number | string>>) =>
    compilePlaybook([WHOLE], { ...CATALOGUES, thresholds });

  it('takes the place of the one in the file', () => {
    const compiled = withThresholds({ 'pool-full': 0.5 });

    expect(JSON.stringify(compiled.kind === 'sound' && compiled.playbook.questions)).toContain('50% ($pool-full)');
  });

  it.each([
    [{ 'pool-fll': 0.5 }, 'no threshold called pool-fll, did you mean pool-full?'],
    [{ 'pool-full': '10m' }, 'pool-full is a number such as 0.95, not 10m'],
  ])('%j is a fault of the configuration', (thresholds, said) => {
    expect(() => withThresholds(thresholds)).toThrow(
      expect.objectContaining({ code: 'bad-config', message: expect.stringContaining(said) }),
    );
  });
});
