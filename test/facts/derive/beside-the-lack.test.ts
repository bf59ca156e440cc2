import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (log: string) => verdictOfFiles(logged(log));

describe('connections that pile up at a listener', () => {
  const warned = '[warn] Error from accept() call: Too many open files';

  it('are no limit that ended anything', async () => {
    expect(await verdictOf(warned)).toMatchObject({ plane: 'unknown' });
    expect(await verdictOf('OSError: [Errno 24] Too many open files')).toMatchObject({ plane: 'none' });
  });
});

describe("what a server says of a model's process that closed", () => {
  it.each([
    'RuntimeError: Failed to rerank documents, detail: Remote server 0.0.0.0:38119 closed',
    'xoscar.errors.ServerClosed: Remote server unixsocket:///8388 closed',
  ])('is no error of its own: %s', async (line) => {
    expect(await verdictOf(line)).toMatchObject({ plane: 'unknown' });
  });

  it('leaves other errors of it as they are', async () => {
    expect(await verdictOf('RuntimeError: Failed to rerank documents, detail: list index out of range')).toMatchObject({
      plane: 'none',
    });
  });
});
