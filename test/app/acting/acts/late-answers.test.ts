import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { orLate } from '../../../../src/app/acting/acts/late-answers.ts';

describe('a question with a limit', () => {
  it('is answered in time, and leaves nothing on the signal of its limit', async () => {
    const { signal } = new AbortController();

    const answers = [orLate(signal, Promise.resolve(1), 0), orLate(signal, Promise.reject(new Error('no')), 0)];
    const [answered, failed] = await Promise.allSettled(answers);

    expect(answered).toEqual({ status: 'fulfilled', value: 1 });
    expect(failed).toMatchObject({ status: 'rejected' });
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('is late when the limit comes first, or came before', async () => {
    const limit = new AbortController();
    const hangs = new Promise<number>(() => {});

    const first = orLate(limit.signal, hangs, 0);
    limit.abort();

    expect(await first).toBe(0);
    expect(await orLate(limit.signal, hangs, 0)).toBe(0);
  });
});
