import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deathKey, fingerprint, incidentKey } from '../../src/model/keys.ts';
import { Cause } from '../../src/model/taxonomy.ts';

const DEATH = { containerID: 'containerd://0a1b', finishedAt: '2026-01-15T02:59:00Z' };
const INCIDENT = { cluster: 'prod', namespace: 'llm', topOwner: 'Deployment/vllm', cause: 'gpu.prefix-cache' } as const;
const PRINT = {
  workload: 'prod/llm/Deployment/vllm',
  engine: 'vllm',
  cause: 'gpu.prefix-cache',
  args: ['--a', '1'],
} as const;

// Values written down once: a key that changes with a release loses every open incident.
describe('keys', () => {
  it('stay what they are', () => {
    expect(deathKey(DEATH)).toBe('099f088ec4dc1db9cc9be96f45132140');
    expect(incidentKey(INCIDENT)).toBe('429c330e24b8cfa791d8f45af9a114c9');
    expect(fingerprint(PRINT)).toBe('3db9f448831d3ede74b103c93db32705');
  });

  it.each([
    ['another container', deathKey(DEATH), deathKey({ ...DEATH, containerID: 'containerd://0a1c' })],
    ['another end', deathKey(DEATH), deathKey({ ...DEATH, finishedAt: '2026-01-15T02:59:01Z' })],
    ['another cluster', incidentKey(INCIDENT), incidentKey({ ...INCIDENT, cluster: 'stage' })],
    ['another namespace', incidentKey(INCIDENT), incidentKey({ ...INCIDENT, namespace: 'llm2' })],
    ['another owner', incidentKey(INCIDENT), incidentKey({ ...INCIDENT, topOwner: 'StatefulSet/vllm' })],
    ['another cause', incidentKey(INCIDENT), incidentKey({ ...INCIDENT, cause: 'unknown' })],
    ['another workload', fingerprint(PRINT), fingerprint({ ...PRINT, workload: 'x' })],
    ['another engine', fingerprint(PRINT), fingerprint({ ...PRINT, engine: 'sglang' })],
    ['another order of arguments', fingerprint(PRINT), fingerprint({ ...PRINT, args: ['1', '--a'] })],
    [
      'text moved from the cluster to the namespace',
      incidentKey(INCIDENT),
      incidentKey({ ...INCIDENT, cluster: 'prodl', namespace: 'lm' }),
    ],
    ['two arguments as one', fingerprint(PRINT), fingerprint({ ...PRINT, args: ['--a1'] })],
    [
      'a length that is part of the text',
      fingerprint({ ...PRINT, args: ['1:a', 'b'] }),
      fingerprint({ ...PRINT, args: ['1:a1:b'] }),
    ],
  ])('differ for %s', (_name, one, other) => {
    expect(one).toMatch(/^[0-9a-f]{32}$/);
    expect(other).not.toBe(one);
  });

  it('are the same for the same parts alone', () => {
    const text = fc.string({ maxLength: 6, unit: fc.constantFrom('a', '1', ':', '/', '2') });
    const parts = fc.record({
      cluster: text,
      namespace: text,
      topOwner: text,
      cause: fc.constantFrom(...Cause.options.slice(0, 3)),
    });

    fc.assert(
      fc.property(parts, parts, (a, b) => {
        const same = JSON.stringify(Object.values(a)) === JSON.stringify(Object.values(b));
        expect(incidentKey(a) === incidentKey(b)).toBe(same);
        expect(incidentKey(a)).toBe(incidentKey({ ...a }));
      }),
      { numRuns: 300, seed: 11 },
    );
  });
});
