import { describe, expect, it } from 'vitest';
import { orNoFolder } from '../../src/commands/or-no-folder.ts';
import { buildProgram } from '../../src/commands/program.ts';
import { terminalWidth } from '../../src/commands/terminal.ts';
import { OomError } from '../../src/model/errors.ts';
import { recordTerminal, runOom } from '../fakes/terminal.ts';

describe('the width', () => {
  it.each([
    ['a terminal that knows its width', 80, {}, 80],
    ['a terminal that calls it 0', 0, {}, 100],
    ['a pipe', undefined, {}, 100],
    ['a pipe that is told', undefined, { COLUMNS: '40' }, 40],
    ['a pipe that is told nonsense', undefined, { COLUMNS: 'wide' }, 100],
    ['a very wide terminal', 300, {}, 120],
  ])('of %s', (_name, columns, env, width) => {
    expect(terminalWidth(columns, env)).toBe(width);
  });

  it('is kept by the help', async () => {
    const { terminal, told } = recordTerminal();

    await buildProgram(terminal).run(['--help']);

    expect(
      told()
        .out.split('\n')
        .filter((line) => line.length > terminal.width),
    ).toEqual([]);
  });
});

describe('mistyped words', () => {
  it.each([
    ['doctor', '--help'],
    ['playbook', 'nosuch', '--help'],
  ])('are not answered with the help of another command: %s %s', async (...words) => {
    const { code, err } = await runOom(words);

    expect(code).toBe(2);
    expect(err).toMatch(/unknown command/);
  });

  it('are no folder either, which is said', async () => {
    const { code, err } = await runOom(['explain', 'nosuch']);

    expect(code).toBe(3);
    expect(err).toContain('There is no folder nosuch either.');
  });

  it('are no folder either where no cluster is known', async () => {
    const noCluster = async () => {
      throw new OomError('bad-config', 'No cluster is known.', { next: 'Set KUBECONFIG.' });
    };

    await expect(orNoFolder(['nosuch'], noCluster)).rejects.toMatchObject({
      code: 'bad-config',
      next: 'There is no folder nosuch either. Set KUBECONFIG.',
    });
    await expect(orNoFolder(['a', 'b'], noCluster)).rejects.toMatchObject({ next: 'Set KUBECONFIG.' });
  });
});
