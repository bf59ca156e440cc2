import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { runOom, type Typed } from '../fakes/terminal.ts';

const INCIDENTS = join(import.meta.dirname, '../../playbooks/oom/incidents');

const oom = (...words: string[]): Promise<Typed> => runOom(words);

describe('oom budget', () => {
  it('adds up a folder', async () => {
    const { code, out } = await oom('budget', join(INCIDENTS, 'healthy'));

    expect(code).toBe(0);
    expect(out).toContain('The KV cache holds');
  });

  it('tries more than one argument', async () => {
    const change = ['--set', '--max-model-len=8192', '--set', '--kv-cache-dtype=fp8'];
    const { code, out } = await oom('budget', join(INCIDENTS, 'healthy'), ...change, '--json');

    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      proposal: { flags: [{ flag: '--max-model-len' }, { flag: '--kv-cache-dtype' }], after: { lengthTokens: 8192 } },
    });
  });

  it('takes a path that a space has cut in two', async () => {
    const folder = join(temporaryFolder(), 'my');
    mkdirSync(`${folder} incident`);

    const there = await oom('budget', folder, 'incident');
    const missing = await oom('budget', folder, 'incidents');

    expect(there.err).toContain('Nothing in it is evidence');
    expect(missing.err).toContain(`No file or folder ${folder} incidents.`);
  });

  it('names the flag that was meant', async () => {
    const { code, out, err } = await oom('budget', join(INCIDENTS, 'healthy'), '--set', '--max-modle-len=8192');

    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/Unknown vllm flag --max-modle-len\.\nDid you mean --max-model-len\?/);
  });

  it.each([
    ['no folder', [join(INCIDENTS, 'no-such')], 2],
    ['no argument', [join(INCIDENTS, 'healthy'), '--set', '8192'], 2],
    ['a flag without its value', [join(INCIDENTS, 'healthy'), '--set', '--max-model-len'], 2],
  ])('%s', async (_, words, exit) => {
    const { code, err } = await oom('budget', ...words);

    expect(code).toBe(exit);
    expect(err).not.toBe('');
  });

  it.each([
    ['in a word of its own', ['--set', '--max-model-len', '8192']],
    ['without --set', ['--max-model-len=8192']],
  ])('tells how a value is written that stands %s', async (_, words) => {
    const { code, err } = await oom('budget', join(INCIDENTS, 'healthy'), ...words);

    expect(code).toBe(2);
    expect(err).toContain('--set --max-model-len=8192');
  });
});
