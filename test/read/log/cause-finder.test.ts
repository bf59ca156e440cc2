import { describe, expect, it } from 'vitest';
import { createCauseFinder } from '../../../src/read/log/cause-finder.ts';
import { compiled } from './scan-text.ts';

describe('looking for a cause while a log is read', () => {
  it('tells at once, also in a line without an end', () => {
    const finder = createCauseFinder(compiled);
    finder.push(Buffer.from('INFO all is well\n'));
    expect(finder.foundCause).toBe(false);
    finder.push(Buffer.from('RuntimeError: CUDA error: out of memory'));

    expect(finder.foundCause).toBe(true);
  });

  it('goes on knowing it, whatever follows', () => {
    const finder = createCauseFinder(compiled);
    finder.push(Buffer.from('RuntimeError: CUDA error: out of memory\n'));
    finder.push(Buffer.alloc(600_000, 'all is well\n'));

    expect(finder.foundCause).toBe(true);
  });

  it.each([
    ['a prompt', `INFO Received request c-1: prompt: 'CUDA error: out of memory'`],
    ['what only gives context', 'INFO 07-10 10:00:00 [api_server.py:1] vLLM API server version 0.10.1'],
  ])('does not take %s for a cause', (_, line) => {
    const finder = createCauseFinder(compiled);
    finder.push(Buffer.from(`${line}\n`));

    expect(finder.foundCause).toBe(false);
  });
});
