import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { incidentKey } from '../../src/model/keys.ts';
import { Cause } from '../../src/model/taxonomy.ts';

describe('the key of an incident', () => {
  // Written down once: a key that changes with a release loses every open incident.
  it('stays what it is', () => {
    const incident = {
      cluster: 'prod',
      namespace: 'llm',
      topOwner: 'Deployment/vllm',
      cause: 'gpu.prefix-cache',
    } as const;

    expect(incidentKey(incident)).toBe('429c330e24b8cfa791d8f45af9a114c9');
  });

  it('is the same for the same parts alone', () => {
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
