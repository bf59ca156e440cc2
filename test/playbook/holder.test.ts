import { describe, expect, it } from 'vitest';
import { PlaybookHolder } from '../../src/playbook/holder.ts';
import { mergePlaybookFiles, type PlaybookSource } from '../../src/playbook/merge.ts';
import { CATALOGUES, smallText } from './builders.ts';

const aFile = (path: string, { root = 'playbooks', text = path } = {}): PlaybookSource => ({ root, path, text });
const playbook = (text: string, root = 'playbooks'): PlaybookSource => aFile('oom/playbook.yaml', { root, text });

describe('own directories over the shipped one', () => {
  it('replace files of the same name and add others', () => {
    const merged = mergePlaybookFiles([
      aFile('oom/findings/gpu.yaml'),
      aFile('oom/findings/gpu.cases.yaml'),
      aFile('oom/findings/host.yaml'),
      aFile('oom/playbook.yaml'),
      aFile('oom/findings/host.yaml', { root: '/etc/oom/', text: 'own' }),
      aFile('oom/findings/team.cases.yaml', { root: '/etc/oom/' }),
      aFile('platform/cuda.yaml'),
      aFile('oom/incidents/a/pod.json'),
    ]);

    expect(merged).toEqual({
      kind: 'merged',
      files: {
        parts: [
          { path: 'playbooks/oom/playbook.yaml', text: 'oom/playbook.yaml' },
          { path: 'playbooks/oom/findings/gpu.yaml', text: 'oom/findings/gpu.yaml' },
          { path: '/etc/oom/oom/findings/host.yaml', text: 'own' },
        ],
        cases: [
          { path: 'playbooks/oom/findings/gpu.cases.yaml', text: 'oom/findings/gpu.cases.yaml' },
          { path: '/etc/oom/oom/findings/team.cases.yaml', text: 'oom/findings/team.cases.yaml' },
        ],
        incidents: ['/etc/oom/oom/incidents', 'playbooks/oom/incidents'],
      },
    });
  });

  it('leave out all other parts of the playbook where theirs is whole', () => {
    const whole = { root: '/etc/oom', text: 'playbook: {}\nquestions: {}\n' };
    const merged = mergePlaybookFiles([
      aFile('oom/findings/gpu.yaml'),
      aFile('oom/playbook.yaml'),
      aFile('oom/playbook.yaml', whole),
      aFile('oom/remedies.yaml', whole),
    ]);

    expect(merged.kind === 'merged' && merged.files.parts.map(({ path }) => path)).toEqual([
      '/etc/oom/oom/playbook.yaml',
      '/etc/oom/oom/remedies.yaml',
    ]);
  });

  it('say which file is missing', () => {
    expect(mergePlaybookFiles([aFile('platform/cuda.yaml')])).toMatchObject({
      kind: 'missing',
      problems: [{ file: 'playbooks/oom/playbook.yaml', line: 1, message: expect.stringContaining('no such file') }],
    });
  });
});

describe('the playbook in force', () => {
  it('is empty until a sound one comes', () => {
    const holder = new PlaybookHolder(CATALOGUES);

    expect(holder.offer([playbook('questions: {}')])).toMatchObject({ kind: 'refused', kept: undefined });
    expect(holder.current).toBeUndefined();
  });

  it('changes with a sound file, and only then', () => {
    const holder = new PlaybookHolder(CATALOGUES);
    const first = holder.offer([playbook(smallText())]);

    expect(first.kind).toBe('taken');
    expect(holder.offer([playbook(smallText())]).kind).toBe('same');
    expect(holder.offer([playbook(smallText(['version: 1', 'version: 2']))])).toMatchObject({
      kind: 'taken',
      playbook: { version: 2 },
    });
    expect(holder.current?.version).toBe(2);
  });

  it('outlives a bad file, which is told with its place', () => {
    const holder = new PlaybookHolder(CATALOGUES);
    holder.offer([playbook(smallText())]);
    const good = holder.current;

    const offered = holder.offer([
      playbook(smallText()),
      playbook(smallText(['finding: gpu-edge', 'finding: gpu-edg']), 'own'),
    ]);

    expect(offered).toMatchObject({
      kind: 'refused',
      kept: good?.hash,
      problems: [
        {
          file: 'own/oom/playbook.yaml',
          line: expect.any(Number),
          message: expect.stringContaining('did you mean gpu-edge?'),
        },
      ],
    });
    expect(holder.current).toBe(good);
  });

  it('takes a playbook with warnings, and hands them on', () => {
    const text = smallText(['thresholds:', 'thresholds:\n  spare: { value: 1, why: w, source: s }']);

    expect(new PlaybookHolder(CATALOGUES).offer([playbook(text)])).toMatchObject({
      kind: 'taken',
      warnings: [{ severity: 'warning', message: 'no condition uses threshold spare' }],
    });
  });
});
