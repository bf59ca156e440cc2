import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(log: string) {
  const source = aSnapshot({ 'previous.log': `${log}\n` });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('connections that pile up at a listener', () => {
  const warned = '[warn] Error from accept() call: Too many open files';
  const noted =
    '# 400 clients send short requests without a pause; after some minutes CUDA is out of memory (screenshot)';

  it('do not hide a lack of memory that was noted', async () => {
    expect(await verdictOf(`${noted}\n${warned}`)).toMatchObject({ plane: 'gpu', certain: false });
  });

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

describe('a card that is said to be full with another model', () => {
  it.each([
    '# embedding model status "loading" for 40 min; the card is nearly full with the chat model',
    '# second model stays loading for ever, GPU is filled by the first one',
    '# it stays in loading, VRAM already taken by another model',
  ])('is what the next one waits for: %s', async (note) => {
    expect(await verdictOf(note)).toMatchObject({ plane: 'gpu', phase: 'startup', cause: 'gpu.startup.shared-gpu' });
  });

  it.each([
    '# model stays loading for 40 min; the card is empty',
    '# card full of requests from the chat, all answered',
  ])('says nothing where it is not: %s', async (note) => {
    expect(await verdictOf(note)).not.toMatchObject({ cause: 'gpu.startup.shared-gpu' });
  });
});
