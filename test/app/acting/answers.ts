import { expect } from 'vitest';

/** An act that ends the run, with these words among its own. */
export const stops = (why: string, says = '') => ({ kind: 'stop', why, says: expect.stringContaining(says) });

/** An act that wants to be asked again, with these words among its own. */
export const waits = (says: string) => ({ kind: 'wait', says: expect.stringContaining(says) });
