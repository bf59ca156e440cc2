import { describe, it } from 'vitest';
import { healthyStaysHealthy } from './no-memory-finding.ts';

describe('engines that are well', () => {
  it('are no memory finding and get no remedy, 1,000 times over', () => healthyStaysHealthy(1000), 300_000);
});
