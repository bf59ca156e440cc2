import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

async function factValue(id: string, files: Readonly<Record<string, string>>): Promise<unknown> {
  const fact = (await readFacts(aSnapshot(files), COMPILED_PHRASES)).get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

const REFUSED =
  "ValueError: To serve at least one request with the models's max seq len (262144), (24.00 GiB KV cache is needed, which is larger than the available KV cache memory (3.18 GiB). Based on the available memory, the estimated maximum model length is 34736.";
const NOT_FREE =
  'ValueError: Free memory on device (21.00/24.00 GiB) on startup is less than desired GPU memory utilization (0.9, 21.60 GiB).';

describe('what is meant to lower a value', () => {
  it.each([
    ['a length above it', 'advice.max-model-len', REFUSED, '--max-model-len 262144', 32_992],
    ['no length known', 'advice.max-model-len', REFUSED, '', 32_992],
    ['a length that is as low already', 'advice.max-model-len', REFUSED, '--max-model-len 32992', undefined],
    ['a length below it', 'advice.max-model-len', REFUSED, '--max-model-len 16384', undefined],
    ['a fraction above it', 'advice.utilization-fit', NOT_FREE, '--gpu-memory-utilization 0.9', 0.86],
    [
      'a fraction that is as low already',
      'advice.utilization-fit',
      NOT_FREE,
      '--gpu-memory-utilization 0.86',
      undefined,
    ],
  ])('with %s in force', async (_what, id, line, args, expected) => {
    expect(await factValue(id, { 'previous.log': `${line}\n`, 'args.txt': `${args}\n` })).toBe(expected);
  });
});

describe('the length in force', () => {
  const incident = (engine: string) => ({ 'incident.json': JSON.stringify({ engine }) });

  it.each([
    ['TGI’s --max-total-tokens', 'tgi', '--max-total-tokens 8192', 8192],
    ['not SGLang’s flag of that name, which is its pool', 'sglang', '--max-total-tokens 8192', undefined],
    ['SGLang’s own', 'sglang', '--max-total-tokens 8192 --context-length 4096', 4096],
  ])('is %s', async (_what, engine, args, expected) => {
    expect(await factValue('engine.max-model-len', { ...incident(engine), 'args.txt': `${args}\n` })).toBe(expected);
  });
});

describe('the engine that a note names', () => {
  it.each([
    ['vllm via KAITO', 'vllm'],
    ['text-generation-inference', 'tgi'],
    ['lmdeploy (turbomind)', 'lmdeploy'],
    ['llama.cpp server', 'llama.cpp'],
    ['tensorrt-llm (triton)', 'tensorrt-llm'],
    ['vllm+ray', 'vllm'],
    ['vllm.rs', 'vllm.rs'],
    ['vllm-ascend', 'vllm'],
    ['torchserve', 'torchserve'],
  ])('%s is %s to those who look flags up', async (engine, expected) => {
    expect(await factValue('engine.name', { 'incident.json': JSON.stringify({ engine }) })).toBe(expected);
  });
});
