import { describe, expect, it } from 'vitest';
import { headItems } from '../../../src/report/words/incident-subject.ts';
import { factsOfFiles, valueOfFact } from '../../facts/incident.ts';

type Given = {
  readonly image?: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value: string }[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly log?: string;
  readonly smi?: string;
};

async function factsOf({ image = 'vllm/vllm-openai:v0.11.0', args, env = [], labels = {}, log, smi }: Given) {
  const pod = {
    metadata: { name: 'p', labels },
    spec: { containers: [{ name: 'engine', image, args, env, resources: { limits: { 'nvidia.com/gpu': '1' } } }] },
    status: {},
  };
  const files = {
    'pod.json': JSON.stringify(pod),
    ...(log === undefined ? {} : { 'current.log': `${log}\n` }),
    ...(smi === undefined ? {} : { 'nvidia-smi.txt': smi }),
  };
  const facts = await factsOfFiles(files);
  return (id: string) => valueOfFact(facts, id);
}

const TGI = 'ghcr.io/huggingface/text-generation-inference:3.3.4';
const SGLANG = 'lmsysorg/sglang:v0.5.1';
const SERVER = ['python3', '-m', 'sglang.launch_server'];
const ARGS = ['--model', 'acme/m', '--max-model-len', '8192'];
const L40S = 'index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA L40S, 43521 MiB, 46068 MiB\n';

it.each([
  ['is the first argument', { args: ['acme/m', '--max-model-len', '8192'] }, 'acme/m'],
  ['is that of its flag', { args: ['--max-model-len', '8192', '--model', 'acme/m'] }, 'acme/m'],
  ['of a mirror', { image: 'reg:5000/mirror/vllm-openai:v0.33.0', args: ['acme/m'] }, 'acme/m'],
  ['is not told by the first argument of any other image', { image: 'own/vllm:1', args: ['acme/m'] }, undefined],
])('the model of an image that serves by itself: %s', async (_, given, model) => {
  expect((await factsOf(given))('engine.model')).toBe(model);
});

describe('a setting in force', () => {
  it('is what was given', async () => {
    const value = await factsOf({ args: [...ARGS, '--gpu-memory-utilization', '0.8', '--max-num-seqs=64'] });

    expect(value('engine.utilization')).toBe(0.8);
    expect(value('engine.max-num-seqs')).toBe(64);
    expect(value('engine.max-model-len')).toBe(8192);
  });

  it('is the default of the version where the arguments are seen and do not name it', async () => {
    const value = await factsOf({ args: ARGS, smi: L40S });

    expect(value('engine.version')).toBe('0.11.0');
    expect(value('engine.utilization')).toBe(0.9);
    expect(value('engine.max-num-seqs')).toBe(256);
    expect(value('engine.max-batched-tokens')).toBe(2048);
    expect(value('prefix-cache.enabled')).toBe(true);
  });

  it('is what the engine prints where nothing was given', async () => {
    const value = await factsOf({
      image: SGLANG,
      args: [...SERVER, '--model-path', 'm'],
      log: '[TP0] max_total_num_tokens=387814, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, context_len=40960',
    });

    expect(value('engine.max-model-len')).toBe(40_960);
    expect(value('engine.max-num-seqs')).toBe(2048);
    expect(value('engine.max-batched-tokens')).toBe(8192);
    expect(value('engine.kv-tokens')).toBe(387_814);
  });

  it.each([
    ['what it lets in, not its batch', ['--max-batch-size', '4', '--max-concurrent-requests', '64'], 64],
    ['what it lets in by default', ['--max-batch-size', '4'], 128],
  ])('is of TGI’s sequences %s', async (_what, given, expected) => {
    expect((await factsOf({ image: TGI, args: ['--model-id', 'acme/m', ...given] }))('engine.max-num-seqs')).toBe(
      expected,
    );
  });

  it.each([
    ['SGLang’s, switched off', SGLANG, [...SERVER, '--disable-radix-cache'], false],
    ['SGLang’s, by default', SGLANG, [...SERVER, '--model-path', 'm'], true],
    ['vLLM’s, switched off', 'vllm/vllm-openai:v0.11.0', ['--model', 'm', '--no-enable-prefix-caching'], false],
    ['LMDeploy’s, by default', 'openmmlab/lmdeploy:v0.7.0', ['lmdeploy', 'serve', 'api_server', 'm'], false],
  ])('is of the prefix cache %s', async (_what, image, args, expected) => {
    expect((await factsOf({ image, args }))('prefix-cache.enabled')).toBe(expected);
  });

  it('is of the prefix cache what a variable says to TGI', async () => {
    const env = [{ name: 'PREFIX_CACHING', value: '0' }];

    expect((await factsOf({ image: TGI, args: ['--model-id', 'acme/m'], env }))('prefix-cache.enabled')).toBe(false);
  });

  it('is what the variables of a NIM say, its arguments before them', async () => {
    const image = 'nvcr.io/nim/meta/llama-3.1-8b-instruct:2.0.1';
    const length = { name: 'NIM_MAX_MODEL_LEN', value: '8192' };
    const passedOn = { name: 'NIM_PASSTHROUGH_ARGS', value: '--max-model-len 4096 --gpu-memory-utilization 0.85' };

    const alone = await factsOf({ image, env: [length] });
    const both = await factsOf({ image, env: [length, passedOn] });

    expect(alone('engine.max-model-len')).toBe(8192);
    expect(both('engine.max-model-len')).toBe(4096);
    expect(both('engine.utilization')).toBe(0.85);
  });

  it('is that of a length that fits itself to memory', async () => {
    const value = await factsOf({
      args: ['--model', 'm', '--max-model-len', 'auto'],
      log: 'Auto-fit max_model_len: reduced from 131072 to 52416 to fit in available GPU memory (6.4 GiB available for KV cache)',
    });

    expect(value('engine.max-model-len')).toBe(52_416);
  });

  it('is read from the dump of TGI and of LMDeploy', async () => {
    const tgi = await factsOf({
      image: 'ghcr.io/huggingface/text-generation-inference:1.4.5',
      log: 'INFO text_generation_launcher: Args { model_id: "acme/m", num_shard: Some(2), max_total_tokens: 4096, cuda_memory_fraction: 0.95 }',
    });
    const lmdeploy = await factsOf({
      image: 'openmmlab/lmdeploy:v0.7.0',
      log: "lmdeploy - INFO - async_engine.py:259 - input backend=turbomind, backend_config=TurbomindEngineConfig(dtype='auto', tp=2, session_len=32768, max_batch_size=128, cache_max_entry_count=0.6)",
    });

    expect(tgi('engine.max-model-len')).toBe(4096);
    expect(tgi('engine.utilization')).toBe(0.95);
    expect(tgi('engine.ranks')).toBe(2);
    expect(lmdeploy('engine.max-model-len')).toBe(32_768);
    expect(lmdeploy('engine.utilization')).toBe(0.6);
    expect(lmdeploy('engine.ranks')).toBe(2);
  });
});

describe('the model', () => {
  it('is what the variable holds that the arguments name', async () => {
    const value = await factsOf({ args: ['bash', '-c', 'MODEL=acme/m; vllm serve $MODEL'] });

    expect(value('engine.model')).toBe('acme/m');
  });

  it('is not known, and said not to be, where nothing tells what the variable holds', async () => {
    const pod = {
      spec: { containers: [{ name: 'engine', image: 'vllm/vllm-openai:v0.11.0', args: ['--model=$(MODEL)'] }] },
    };
    const facts = await factsOfFiles({ 'pod.json': JSON.stringify(pod) });

    expect(facts.get('engine.model')).toMatchObject({ kind: 'unknown', detail: expect.stringContaining('$(MODEL)') });
    expect(facts.get('engine.multimodal')?.kind).not.toBe('known');
    expect(JSON.stringify(headItems(facts, { plane: 'gpu' }))).toContain(
      'model unknown: the arguments name it by a variable',
    );
  });
});

describe('a default is not known', () => {
  it.each([
    ['without a version', { image: 'vllm/vllm-openai:latest', args: ARGS }],
    ['without arguments', { args: [] }],
    ['where they stand in a file', { args: [...ARGS, '--config', '/etc/vllm.yaml'] }],
    ['where a variable holds some', { args: [...ARGS, '$(EXTRA_ARGS)'] }],
    ['where a script starts the engine', { args: ['/start.sh', ...ARGS] }],
    ['where KAITO sets its own', { args: ARGS, labels: { 'kaito.sh/workspace': 'w' } }],
    ['where NIM chooses a profile', { args: ARGS, labels: { 'app.kubernetes.io/managed-by': 'k8s-nim-operator' } }],
  ] as const)('%s', async (_, given) => {
    expect((await factsOf(given))('engine.utilization')).toBeUndefined();
  });

  it('but is where the engine prints all that was set, whoever set it', async () => {
    const value = await factsOf({
      labels: { 'kaito.sh/workspace': 'w' },
      log: "INFO 07-10 10:00:05 [api_server.py:1289] vLLM API server version 0.11.0\nINFO 07-10 10:00:05 [cli_args.py:309] non-default args: {'model': 'm'}",
    });

    expect(value('engine.utilization')).toBe(0.9);
  });
});
