import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import type { Facts } from '../../../src/model/fact.ts';
import { card } from '../../../src/report/card.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';
import { anInput } from '../../report/inputs.ts';

const CHECK = (fraction: string) =>
  `ValueError: Free memory on device (21.30/23.64 GiB) on startup is less than desired GPU memory utilization (${fraction}, 22.46 GiB). Decrease GPU memory utilization or reduce GPU memory used by other processes.`;
const V0_ACCOUNT =
  'INFO 05-01 10:00:00 worker.py:267] the current vLLM instance can use total_gpu_memory (23.64GiB) x gpu_memory_utilization (0.90) = 21.28GiB';
const CONCURRENCY =
  'INFO 05-01 10:00:00 [kv_cache_utils.py:569] Maximum concurrency for 4,096 tokens per request: 13.20x';
const DUMP =
  "INFO 05-01 10:00:00 [api_server.py:1] non-default args: {'max_num_seqs': 64, 'enable_prefix_caching': False}";
const POOL =
  'max_total_num_tokens=120000, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=48, context_len=32768, available_gpu_mem=2.10 GB';

async function diagnosed(asked: string, ...log: string[]) {
  const files = { 'args.txt': `${asked}\n`, 'previous.log': `${log.join('\n')}\n` };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

const value = (facts: Facts, id: string) => {
  const fact = facts.get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
};

describe('a setting of which the engine says another value than it was asked for', () => {
  it.each([
    [
      'the fraction',
      'vllm serve m --gpu-memory-utilization 0.9',
      CHECK('0.95'),
      'engine.utilization',
      0.95,
      '0.9',
      '0.95',
    ],
    ['the length', 'vllm serve m --max-model-len 16k', CONCURRENCY, 'engine.max-model-len', 4096, '16k', '4096'],
    ['the sequences', 'vllm serve m --max-num-seqs 256', DUMP, 'engine.max-num-seqs', 64, '256', '64'],
    ['a switch', 'vllm serve m --enable-prefix-caching', DUMP, 'prefix-cache.enabled', false, 'true', 'false'],
    [
      'what SGLang made of it',
      'python -m sglang.launch_server --model-path m --max-running-requests 512',
      POOL,
      'engine.max-num-seqs',
      48,
      '512',
      '48',
    ],
  ])('has the one in force, and both are told: %s', async (_, asked, line, id, inForce, was, is) => {
    const { facts } = await diagnosed(asked, line);

    expect(value(facts, id)).toBe(inForce);
    expect(value(facts, 'engine.asked-otherwise')).toMatch(`asked ${was}, the engine says ${is}`);
    expect(facts.get('engine.asked-otherwise')).toMatchObject({
      from: [{ file: 'args.txt' }, { file: 'previous.log' }],
    });
  });

  it.each([
    ['the same in other words', 'vllm serve m --max-model-len 4_096', CONCURRENCY],
    ['a fraction that is printed rounded', 'vllm serve m --gpu-memory-utilization 0.904', V0_ACCOUNT],
    ['what was never asked', 'vllm serve m', CHECK('0.95')],
    ['what the engine does not print', 'vllm serve m --gpu-memory-utilization 0.9', CONCURRENCY],
  ])('is not %s', async (_, asked, line) => {
    const { facts } = await diagnosed(asked, line);

    expect(value(facts, 'engine.asked-otherwise')).toBeUndefined();
  });

  it('is shown on the card', async () => {
    const { facts, diagnosis } = await diagnosed('vllm serve m --gpu-memory-utilization 0.9', CHECK('0.95'));

    const text = JSON.stringify(card(anInput({ facts, diagnosis })));

    expect(diagnosis.verdict.cause).toBe('gpu.startup.utilization');
    expect(text).toContain('--gpu-memory-utilization: asked 0.9, the engine says 0.95');
  });

  it('leaves a fraction as it was typed where the engine rounds it', async () => {
    const { facts } = await diagnosed('vllm serve m --gpu-memory-utilization 0.904', V0_ACCOUNT);

    expect(value(facts, 'engine.utilization')).toBe(0.904);
  });
});
