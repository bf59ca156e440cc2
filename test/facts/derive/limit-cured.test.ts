import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const limits = (size: string) => `resources:\n  limits:\n    memory: ${size}\n  requests:\n    memory: ${size}\n`;

async function judged(described: string) {
  const files = {
    'describe.txt': described,
    'previous.log': 'Loading safetensors checkpoint shards:  25% Completed\nStub process is not healthy\n',
    'incident.json': JSON.stringify({ engine: 'triton', uptime: 'startup' }),
  };
  const { diagnosis, facts } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const value = (id: string) => {
    const fact = facts.get(id);
    return fact?.kind === 'known' ? fact.value : undefined;
  };
  return { verdict: diagnosis.verdict, value };
}

const GIB = 1024 ** 3;

describe('a memory limit that is noted to have worked', () => {
  it('is not the one that failed, and points to it', async () => {
    const { verdict, value } = await judged(`before:\n${limits('8Gi')}after (works):\n${limits('48Gi')}`);

    expect(value('ram.limit')).toBe(8 * GIB);
    expect(value('ram.limit-cured')).toBe(48 * GIB);
    expect(verdict).toMatchObject({ finding: 'host-startup-limit-cured', cause: 'host.startup.limit', certain: false });
  });

  it('leaves the limit open where none is told of before', async () => {
    const { value } = await judged(`before: resources: {}\nafter (works):\n${limits('48Gi')}`);

    expect(value('ram.limit')).toBeUndefined();
    expect(value('ram.limit-equals-request')).toBeUndefined();
    expect(value('ram.limit-cured')).toBe(48 * GIB);
  });

  it.each([
    ['the same limit with which it failed', `before:\n${limits('48Gi')}after (works):\n${limits('48Gi')}`],
    ['the limit that is in force', limits('48Gi')],
  ])('is no cure: %s', async (_, described) => {
    const { value } = await judged(described);

    expect(value('ram.limit')).toBe(48 * GIB);
    expect(value('ram.limit-cured')).toBeUndefined();
  });
});
