import { describe, expect, it } from 'vitest';
import { readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES } from '../../playbooks/shipped.ts';

const isWithout = async (files: Readonly<Record<string, string>>) =>
  (await readFacts(aSnapshot(files), COMPILED_PHRASES)).get('engine.without-graphs');

const configured = (config: string) => ({
  'previous.log': `INFO 10-26 12:34:54 llm_engine.py:72] Initializing an LLM engine with config: ${config}\n`,
});

describe('an engine that captures no graphs', () => {
  it.each([
    ['vLLM', { 'args.txt': 'vllm serve m --enforce-eager\n' }],
    ['SGLang', { 'args.txt': 'python -m sglang.launch_server --model-path m --disable-cuda-graph\n' }],
    ['vLLM before it had any', configured("model='m', quantization=awq, seed=0)")],
  ])('is known as that: %s', async (_, files) => {
    expect(await isWithout(files)).toMatchObject({ kind: 'known', value: true });
  });

  it.each([
    ['nothing is told', { 'args.txt': 'vllm serve m\n' }],
    ['the opposite is told', { 'args.txt': 'vllm serve m --enforce-eager=false\n' }],
    ['the configuration names them', configured("model='m', enforce_eager=False, seed=0)")],
    ['the configuration is cut off', configured("model='m', quantization=awq, download_dir=None, load")],
  ])('near miss: %s', async (_, files) => {
    expect((await isWithout(files))?.kind).not.toBe('known');
  });
});
