import { describe, expect, it } from 'vitest';
import { withoutDenials } from '../../../src/facts/guess/denials.ts';

describe('what remarks deny', () => {
  it('leaves all else where it stood', () => {
    const text = 'RSS 9 GB, no OOM in dmesg, then 61 GB';

    expect(withoutDenials(text)).toHaveLength(text.length);
    expect(withoutDenials(text)).toMatch(/^RSS 9 GB, +in dmesg, then 61 GB$/);
  });
});
