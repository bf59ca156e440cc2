import { describe, expect, it } from 'vitest';
import { compilePlaybook } from '../../src/playbook/compile.ts';
import { readYaml } from '../../src/playbook/yaml-source.ts';
import { CATALOGUES } from '../../src/wire/knowledge.ts';
import { playbookOf, smallText } from './builders.ts';

describe('a file whose value the build has read', () => {
  it('gives the same playbook as its text', () => {
    const file = { path: 'playbook.yaml', text: smallText() };

    const ready = compilePlaybook([{ ...file, value: contentOf(file.text) }], CATALOGUES);

    expect(ready.kind === 'sound' && ready.playbook).toEqual(playbookOf(file.text));
  });

  it('tells what is wrong with the place in the text', () => {
    const file = { path: 'playbook.yaml', text: smallText().replace('start: which-memory', 'start: which-memry') };
    const ready = compilePlaybook([{ ...file, value: contentOf(file.text) }], CATALOGUES);

    expect(ready.kind).toBe('bad');
    expect(ready).toEqual(compilePlaybook([file], CATALOGUES));
  });
});

function contentOf(text: string): unknown {
  const source = readYaml({ path: 'playbook.yaml', text });
  if (source.kind === 'refused') throw new Error('the text of a test is readable');
  return source.value;
}
