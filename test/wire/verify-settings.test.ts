import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import { verifySettings } from '../../src/wire/acting-settings.ts';
import { DEFAULT_MARKS } from '../fakes/verify-marks.ts';
import { examplePlan } from '../model/plan-examples.ts';

function marks(yaml: string, place: { cluster?: string; namespace?: string; name?: string } = {}) {
  const outcome = loadConfig({ env: {}, file: 'oombot.yaml', readFile: () => yaml });
  if (outcome.kind === 'bad') return outcome.problems.map(({ message }) => message);
  const { target } = examplePlan;
  const { cluster = 'prod', namespace = 'llm', name = 'vllm-chat' } = place;
  return verifySettings(outcome.config).marksOf({ ...target, cluster, object: { ...target.object, namespace, name } });
}

const TARGETS = `
acting:
  verify:
    targets:
      - { namespaces: [llm], workloads: [vllm-*], ttftP99Ms: 900 }
      - { namespaces: [llm-*, llm], latencyP99Ms: 30000, shortWaitP95Ms: 200 }
`;

describe('the marks of a verification', () => {
  it('are those of the checks where nothing is configured', () => {
    expect(marks('{}')).toEqual(DEFAULT_MARKS);
  });

  it.each([
    ['the first entry that fits', {}, { ttftP99: 900, latencyP99: null, shortWait: null }],
    ['another workload', { name: 'sglang' }, { ttftP99: null, latencyP99: 30_000, shortWait: 200 }],
    ['another namespace', { namespace: 'batch' }, { ttftP99: null, latencyP99: null, shortWait: null }],
  ])('come from %s', (_, place, expected) => {
    expect(marks(TARGETS, place)).toMatchObject(expected);
  });

  it('take the figures of the file', () => {
    expect(marks('acting: { verify: { ramShare: 0.8, worseBy: 2 } }')).toMatchObject({ ramShare: 0.8, worseBy: 2 });
  });

  it('refuse an entry that sets no target', () => {
    expect(marks('acting: { verify: { targets: [{ namespaces: [llm] }] } }')).toEqual([
      expect.stringContaining('sets no target'),
    ]);
  });
});
