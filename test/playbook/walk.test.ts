import { describe, expect, it } from 'vitest';
import { aimlessText, walkProperty } from './walk-property.ts';

describe('the walk', () => {
  it('ends at a finding, gives the same answer twice and keeps to the contract, whatever playbook and facts', () => {
    walkProperty({ seed: 11, numRuns: 40 });
  });

  it('refuses any text that is no playbook, without a throw', () => {
    expect(() => aimlessText({ seed: 5, numRuns: 80 })).not.toThrow();
  });
});
