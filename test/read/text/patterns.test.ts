import { describe, expect, it } from 'vitest';
import { anyOf } from '../../../src/read/text/patterns.ts';

describe('patterns', () => {
  it('finds any of its parts under the flags that they share', () => {
    const pattern = anyOf('i', /\bout of (?:memory|RAM)\b/, String.raw`\bOOM\b`);

    expect(['Out of RAM', 'an oom', 'room'].map((text) => pattern.test(text))).toEqual([true, true, false]);
  });

  it('takes no part whose own flags would be lost', () => {
    expect(() => anyOf('', /oom/i)).toThrow('/oom/i has flags of its own');
  });
});
