import { describe, expect, it } from 'vitest';
import { mergePlaybookFiles, type PlaybookSource } from '../../src/playbook/merge.ts';

const aFile = (path: string, { root = 'playbooks', text = path } = {}): PlaybookSource => ({ root, path, text });

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

    expect(merged).toMatchObject({
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
