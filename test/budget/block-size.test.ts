import { describe, expect, it } from 'vitest';
import { anAccount } from './accounts.ts';

// seeds-corrections.md, 002: FlashAttention and Triton need a multiple of 16.
describe('blocks of another size', () => {
  const startWith = (size: number, part: Parameters<typeof anAccount>[0] = {}) =>
    anAccount({ ...part, wanted: [`--block-size=${size}`] }).proposal?.after.start;
  const refused = (why: string) => ({ kind: 'refuses', why: expect.stringContaining(why) });
  const MULTIPLE = 'a multiple of 16 tokens per block, and 8 is not';
  const starts = (proven: boolean) => ({ kind: 'starts', proven });

  it.each([
    ['8, of which FlashAttention takes none', 8, {}, refused(MULTIPLE)],
    ['16, on the line', 16, {}, starts(true)],
    ['a multiple', 32, {}, starts(true)],
    ['a size that the parser does not know', 24, {}, refused('takes 1, 8, 16, 32, 64, 128, 256, not 24')],
    ['a multiple that the parser does not know', 48, {}, refused('256, not 48')],
    ['a multiple since the parser takes all', 48, { version: '0.18.0' }, starts(true)],
    ['8 since the parser takes all', 8, { version: '0.29.0' }, refused(MULTIPLE)],
    ['8 where the log shows V1', 8, { version: '0.9.2', figures: { generation: 'V1' as const } }, refused(MULTIPLE)],
    // V0 has a kernel that takes 8, and which one runs is not known of a release with both.
    ['8 in V0', 8, { version: '0.7.3' }, starts(false)],
    ['8 in a release with both engines', 8, { version: '0.9.2' }, starts(false)],
    ['8 of a version that is not known', 8, { version: undefined }, starts(false)],
    ['8 with a kernel that is named', 8, { told: { '--attention-backend': 'TRITON_ATTN' } }, refused(MULTIPLE)],
    ['8 with another kernel', 8, { told: { '--attention-backend': 'TORCH_SDPA' } }, starts(false)],
    ['8 of latent attention', 8, { figures: { model: 'deepseek-ai/DeepSeek-R1' } }, starts(false)],
    ['8 of an engine without such blocks', 8, { engine: 'sglang', version: '0.5.3' }, starts(false)],
  ])('%s', (_what, size, part, expected) => {
    expect(startWith(size, part)).toEqual(expected);
  });

  it('are no reason to doubt an engine that has them', () => {
    const told = { '--block-size': '8' };

    expect(anAccount({ told }).now.start).toEqual(starts(true));
    expect(anAccount({ told, wanted: ['--max-num-seqs=4'] }).proposal?.after.start).toEqual(starts(true));
  });

  it('are counted in, whatever the engine printed of its own', () => {
    const figures = { kvTokens: undefined, blockTokens: 16 };

    // 19.92 GiB are 163,184 tokens: 10,199 blocks of 16, 1274 of 128.
    expect(anAccount({ figures, wanted: ['--block-size=128'] }).proposal?.after.tokens).toEqual({
      kind: 'known',
      value: 1274 * 128,
    });
  });
});
