import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

async function tried(remarks: readonly string[], args: string) {
  const files = {
    'previous.log': `${[...remarks, 'torch.OutOfMemoryError: CUDA out of memory.'].join('\n')}\n`,
    'args.txt': `${args}\n`,
    'incident.json': '{"engine":"vllm"}',
  };
  const found = (await readFacts(aSnapshot(files), COMPILED_PHRASES)).get('log.tried');
  return found?.kind === 'known' ? found.value : undefined;
}

describe('what people noted that they tried', () => {
  const args = 'vllm serve org/some-7B --gpu-memory-utilization 0.8';

  it.each<[string, readonly string[]]>([
    ['eager', ['# with --enforce-eager it comes up']],
    ['eager', ['# the same line at every length; --enforce-eager: starts and answers']],
    ['nothing', ['# --enforce-eager does not start either']],
    // What fails without graphs as well fails in another step.
    ['nothing', ['# --enforce-eager: out of memory', '# a smaller model starts with --enforce-eager']],
    ['lower-fraction', ['# 0.8 and 0.85: out of memory; 0.6: starts']],
    [
      'lower-fraction',
      ['# --gpu-memory-utilization 0.9 : OOM before ready', '# --gpu-memory-utilization 0.7 : serves'],
    ],
    // It started, whatever came later.
    ['lower-fraction', ['# fraction 0.9: fails', '# fraction 0.85: starts, OOM an hour later']],
    ['nothing', ['# fraction 0.7: fails; 0.9: starts']],
    ['nothing', ['# fraction 0.9: fails']],
    ['nothing', ['# fraction 0.9, 0.8, 0.7: same error']],
    // No fraction: nothing names one, and none is in force.
    ['nothing', ['# top-p 0.95 fails; 0.5 starts']],
    ['nothing', []],
  ])('%s: %j', async (value, remarks) => {
    expect(await tried(remarks, args)).toBe(value);
  });
});

describe('the fraction that was noted', () => {
  it.each<[string, string, number | undefined]>([
    ['# gpu_memory_utilization=1.0, eager', '', 1],
    ['# nothing', '# the wrapper: some-model, gpu memory utilization 0.97, length 1024', 0.97],
    ['# gpu_memory_utilization 0.9 and later gpu_memory_utilization 0.95', '', undefined],
    ['# gpu_memory_utilization 10 %', '', undefined],
    ['# nothing', '--gpu-memory-utilization 0.9', undefined],
  ])('%s, %s -> %s', async (remark, args, value) => {
    const files = { 'previous.log': `${remark}\nCUDA out of memory.\n`, 'args.txt': `${args}\n` };
    const found = (await readFacts(aSnapshot(files), COMPILED_PHRASES)).get('log.noted-fraction');

    expect(found?.kind === 'known' ? found.value : undefined).toBe(value);
  });
});
