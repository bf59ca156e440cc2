import { describe, expect, it } from 'vitest';
import type { FindingName } from '../../src/model/feedback.ts';
import { causeGroups } from '../../src/report/feedback-choices.ts';

const aFinding = (id: string, more: Partial<FindingName> = {}): FindingName => ({
  ...{ id, plane: 'gpu', phases: ['burst'], causes: ['gpu.burst.headroom'], name: `name of ${id}` },
  ...more,
});
const STARTUP = { phases: ['startup'], causes: ['gpu.startup.weights'] } as const;
const HOST = { plane: 'host', causes: ['host.burst.payload'] } as const;
const FINDINGS = [
  aFinding('both-startup', { ...STARTUP, plane: 'both' }),
  aFinding('gpu-startup', STARTUP),
  aFinding('gpu-crowd'),
  aFinding('gpu-any', { phases: ['startup', 'burst', 'chronic'] }),
  aFinding('host-startup', { ...STARTUP, ...HOST }),
  aFinding('host-burst', HOST),
  aFinding('none', { plane: 'none', phases: ['n/a'], causes: ['none.other'] }),
  aFinding('unknown', { plane: 'unknown', phases: ['n/a'], causes: ['unknown'] }),
];
type Said = Parameters<typeof causeGroups>[1];
const SAID: Said = { finding: 'gpu-crowd', plane: 'gpu', phase: 'burst', alternatives: [], notRuledOut: [] };
const groups = (said: Partial<Said> = {}, findings = FINDINGS) =>
  causeGroups(findings, { ...SAID, ...said }).map(({ label, names }) => [label, ...names.map(({ id }) => id)]);

describe('what a wrong finding may have been', () => {
  it('begins with the same memory and phase', () => {
    expect(groups()).toEqual([
      ['GPU memory under load', 'gpu-any'],
      ['GPU memory, other phases', 'gpu-startup'],
      ['RAM', 'host-burst', 'host-startup'],
      ['GPU memory and RAM', 'both-startup'],
      ['Not memory', 'none'],
    ]);
    expect(groups({ finding: 'host-startup', plane: 'host', phase: 'startup' })).toEqual([
      ['RAM, other phases', 'host-burst'],
      ['GPU memory', 'gpu-startup', 'gpu-any', 'gpu-crowd'],
      ['GPU memory and RAM', 'both-startup'],
      ['Not memory', 'none'],
    ]);
  });

  it('names before them what the finding itself did not rule out', () => {
    const missing: Said['notRuledOut'][number]['missing'] = [{ fact: 'gpu.free', reason: 'gone', needs: 'the log' }];
    const notRuledOut = [{ branch: 'a/b', finding: 'gpu-any', missing }];

    expect(groups({ notRuledOut, alternatives: ['host.burst.payload'] })[0]).toEqual([
      'Not ruled out',
      'gpu-any',
      'host-startup',
      'host-burst',
    ]);
  });

  it('is in one group for each memory where the finding has no phase, and shows a name once', () => {
    const twice = [...FINDINGS, aFinding('gpu-twin', { name: 'name of gpu-any' })];

    expect(groups({ finding: 'none', plane: 'none', phase: 'n/a' }, twice).map(([label]) => label)).toEqual([
      'GPU memory',
      'RAM',
      'GPU memory and RAM',
    ]);
    expect(groups({ finding: 'x', plane: 'unknown', phase: 'startup' }, twice).flat()).not.toContain('gpu-twin');
  });
});
