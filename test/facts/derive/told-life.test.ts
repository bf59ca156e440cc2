import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function phaseOf(remark: string, log = '') {
  const source = aSnapshot({ 'previous.log': `${log}# ${remark}\n` });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict.phase;
}

describe('when it failed, as people tell it', () => {
  it.each([
    ['killed while loading the weights', 'startup'],
    ['the process is killed at shard 14 of 30', 'startup'],
    ['the worker is killed before it is ready', 'startup'],
    ['加载模型时内存爆了', 'startup'],
    ['killed in the middle of a load', 'startup'],
    ['killed under load, 90 clients', 'burst'],
    ['the server is killed once a long conversation comes in', 'burst'],
    ['压测时内存爆了', 'burst'],
    ['killed', 'n/a'],
    ['killed, image 1.4 of the vendor', 'n/a'],
    ['killed; the log starts with a banner', 'n/a'],
  ])('%s', async (remark, phase) => {
    expect(await phaseOf(remark)).toBe(phase);
  });

  it('dates no kill that a shell saw', async () => {
    expect(await phaseOf('the second start of the same files', 'Killed\n')).toBe('n/a');
  });

  it('dates no failure that a line proves', async () => {
    const proof =
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 90.00 MiB. GPU 0 has a total capacity of';

    expect(await phaseOf('while loading the weights', `${proof} 23.65 GiB of which 12.50 MiB is free.\n`)).toBe('n/a');
  });
});
