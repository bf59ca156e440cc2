import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has a total capacity of 79.25 GiB of which 1.06 GiB is free. Of the allocated memory 74.90 GiB is allocated by PyTorch, and 1.61 GiB is reserved by PyTorch but unallocated.';
const PROBE = (length: number) => `INFO:__main__:Try to determine available gpu blocks for context length ${length}`;
const RESULT = 'INFO:__main__:Set max_model_len from 131072 to 40960';
const SERVES = [
  'INFO:     Application startup complete.',
  'INFO:     10.0.0.7:5 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
];

async function diagnosed(lines: readonly string[]) {
  const snapshot = aSnapshot({ 'current.log': `${lines.join('\n')}\n` });
  return diagnoseSource(snapshot, { phrases: COMPILED_PHRASES, judge });
}

describe("KAITO's search for the longest length", () => {
  it('fails on purpose: that is no failure of the engine', async () => {
    const { facts, diagnosis } = await diagnosed([PROBE(65536), OOM, PROBE(32768), OOM, RESULT, ...SERVES]);

    expect(diagnosis.verdict.plane).not.toBe('gpu');
    expect(facts.get('gpu.oom-logged')?.kind).toBe('unknown');
    expect(facts.get('gpu.want')?.kind).toBe('unknown');
    expect(facts.get('sequence.order')).toMatchObject({ value: 'nothing-seen' });
  });

  it.each([
    ['behind its result', [PROBE(65536), OOM, RESULT, OOM]],
    ['before it began', [OOM, PROBE(65536), RESULT]],
    ['and nothing shows that it went on', [PROBE(65536), RESULT, PROBE(32768), OOM]],
    ['at its first step, the last line of the log', [PROBE(65536), OOM]],
  ])('does not hide a failure %s', async (_, lines) => {
    const { facts, diagnosis } = await diagnosed(lines);

    expect(diagnosis.verdict.plane).toBe('gpu');
    expect(facts.get('gpu.want')).toMatchObject({ value: 2.5 * 1024 ** 3 });
  });
});
