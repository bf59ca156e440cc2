import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Cited, EngineArgument } from '../../../src/model/engine-reader.ts';
import {
  effectiveArgument,
  modelArgument,
  parseCount,
  parseShare,
  parseSwitch,
  readArguments,
} from '../../../src/read/engine/arguments.ts';
import { splitShell } from '../../../src/read/engine/shell-words.ts';
import { scan } from '../log/scan-text.ts';

const words = (...values: string[]): Cited<string>[] =>
  values.map((value, i) => ({
    value,
    from: { kind: 'field', file: 'pod.json', path: `/spec/containers/0/args/${i}`, text: JSON.stringify(value) },
  }));
const shown = (args: readonly EngineArgument[]) =>
  args.map(({ flag, value }) => (value === null ? flag : `${flag}=${value}`));
const ofText = (argsText: string) => shown(readArguments({ argsText }));
const ofWords = (...values: string[]) => shown(readArguments({ commandWords: words(...values) }));
const ofLog = (log: string) => shown(readArguments({ log: scan(log) }));

describe('the words of a pod', () => {
  const JSON_VALUE = '{"kv_role":"kv_both"}';

  it.each([
    ['a list', 'vllm serve org/model --enforce-eager', '--model=org/model --enforce-eager'],
    ['one word with an equals sign', '--gpu-memory-utilization=0.9', '--gpu-memory-utilization=0.9'],
    ['underscores', '--max_model_len 8k --max_num_seqs=9', '--max-model-len=8k --max-num-seqs=9'],
    ['short forms', '-tp 8 -pp=2 -q fp8', '--tensor-parallel-size=8 --pipeline-parallel-size=2 --quantization=fp8'],
    ['what argparse takes for the whole', '--tensor_parallel 2', '--tensor-parallel-size=2'],
    ['negative numbers', '--max-model-len -1', '--max-model-len=-1'],
    ['JSON', `--kv-transfer-config ${JSON_VALUE}`, `--kv-transfer-config=${JSON_VALUE}`],
    ['python -m', 'python3 -m vllm.entrypoints.openai.api_server --port 8000', '--port=8000'],
  ])('%s', (_, line, expected) => {
    expect(ofWords(...line.split(' ')).join(' ')).toBe(expected);
  });

  const SCRIPT =
    'export VLLM_USE_V1=1 # --not-this\nvllm serve $MODEL \\\n  --max-num-seqs=64 \\\n  --dtype "bfloat16" | tee log\n';
  const EXTRA = 'VLLM_EXTRA_ARGS=--max-model-len 4096 --enforce-eager';

  it.each([
    ['nothing', [], ''],
    ['a script', ['/bin/sh', '-c', "exec vllm serve m --seed '8' && echo --done"], '--model=m --seed=8 --done'],
    ['a longer script', ['bash', '-lc', SCRIPT], 'VLLM_USE_V1=1 --model=$MODEL --max-num-seqs=64 --dtype=bfloat16'],
    ['arguments in a variable', [EXTRA], `${EXTRA} --max-model-len=4096 --enforce-eager`],
  ])('%s', (_, values, expected) => {
    expect(ofWords(...values).join(' ')).toBe(expected);
  });

  it('are cited where they stand', () => {
    const [, argument] = readArguments({ commandWords: words('--a', '1', '--max-model-len=8192') });

    expect(argument?.from).toMatchObject({ file: 'pod.json', path: '/spec/containers/0/args/2' });
  });

  it.each([
    ['a value of its own', ['--max-model-len', '8192'], ['"8192"']],
    ['a value in the same word', ['--max-model-len=8192'], undefined],
    ['no value', ['--enforce-eager', '--max-model-len'], undefined],
  ])('are cited with %s', (_, given, more) => {
    const [argument] = readArguments({ commandWords: words(...given) });

    expect(argument?.from).toMatchObject({ path: '/spec/containers/0/args/0' });
    expect(argument?.from.kind === 'field' ? argument.from.more : 'no field').toEqual(more);
  });
});

describe('args.txt as people paste it', () => {
  const DOCKER = 'docker run --gpus all --shm-size=1g -p 8000:8000 -e HF_HOME=/x --ipc=host vllm/vllm-openai:v0.9.1';
  const ENTRYPOINT = 'ENTRYPOINT ["python3", "-m", "vllm.entrypoints.openai.api_server", "--model", "/m.gguf"]';
  const CALL = 'some = Wrapper(\n  dtype="half",\n  gpu_memory_utilization=1,\n  max_model_len = 1024)';
  const JSON_VALUE = '{"kv_connector":"X","kv_role":"kv_both"}';

  it.each([
    ['a command line', 'vllm serve m --max-model-len 8192', '--model=m --max-model-len=8192'],
    ['variables before it', 'CUDA_VISIBLE_DEVICES=0,1 vllm serve m', 'CUDA_VISIBLE_DEVICES=0,1 --model=m'],
    ['flags alone', '--cpu-offload-gb 8 --max-num-seqs 5', '--cpu-offload-gb=8 --max-num-seqs=5'],
    ['docker run, whose options are not the engine’s', `${DOCKER} --model m --seed 8`, 'HF_HOME=/x --model=m --seed=8'],
    ['a line of a Dockerfile', ENTRYPOINT, '--model=/m.gguf'],
    ['a YAML list', '- --model\n- org/m\n- "--max-model-len=8192"\n', '--model=org/m --max-model-len=8192'],
    ['a YAML file', 'max-model-len: 8\nmax_num_seqs: 9\nmodel: ignored\n', '--max-model-len=8 --max-num-seqs=9'],
    ['keywords of a wrapper’s call', CALL, '--gpu-memory-utilization=1 --max-model-len=1024'],
    ['code', 'llm = LLM(model="org/m", enforce_eager=True)', '--model=org/m --enforce-eager=true'],
    ['sampling parameters are none of the engine', 'SamplingParams(temperature=0, max_tokens=1)', ''],
    ['remarks', '# --max-model-len 1\nvllm serve m\n', '--model=m'],
    ['words beside it', "we don't know more; fails with --max-num-seqs 64", '--max-num-seqs=64'],
    [
      'JSON without quotes',
      `--kv-transfer-config ${JSON_VALUE} --port 1`,
      `--kv-transfer-config=${JSON_VALUE} --port=1`,
    ],
  ])('%s', (_, text, expected) => {
    expect(ofText(text).join(' ')).toBe(expected);
  });

  it('cites a flag with the value that stands in the line below', () => {
    const [argument] = readArguments({ argsText: 'args:\n  - --max-model-len\n  - "8192"\n' });

    const from = { line: 2, text: '  - --max-model-len', more: ['  - "8192"'] };
    expect(argument).toMatchObject({ value: '8192', from });
  });

  it('cites the line', () => {
    const [argument] = readArguments({ argsText: '# remark\nvllm serve m\n' });

    expect(argument?.from).toEqual({ kind: 'line', file: 'args.txt', line: 2, text: 'vllm serve m' });
  });
});

describe('variables that arguments refer to', () => {
  const env = words('org/of-pod').map((value) => ({ name: 'MODEL_ID', value }));
  const given = (argsText: string) => shown(readArguments({ argsText, env })).at(-1);

  it.each([
    ['a shell’s', 'MODEL=org/m\nvllm serve $MODEL', '--model=org/m'],
    ['one in braces', `MODEL=org/m\nvllm serve \${MODEL}`, '--model=org/m'],
    ['one with a default that is not used', `MODEL=org/m\nvllm serve \${MODEL:-org/other}`, '--model=org/m'],
    ['a part of a word', 'NAME=m\nvllm serve /models/$NAME', '--model=/models/m'],
    ['one made of another', 'NAME=m\nMODEL=org/$NAME\nvllm serve $MODEL', '--model=org/m'],
    ['docker’s', 'docker run -e MODEL=org/m vllm/vllm-openai:v0.9.1 --model $MODEL', '--model=org/m'],
    ['that of the pod', 'vllm serve $(MODEL_ID)', '--model=org/of-pod'],
    ['that of the pod in braces', `vllm serve \${MODEL_ID}`, '--model=org/of-pod'],
    ['the last of two', 'MODEL=org/a\nMODEL=org/b\nvllm serve $MODEL', '--model=org/b'],
    ['one of itself', 'MODEL=$MODEL\nvllm serve $MODEL', '--model=$MODEL'],
    ['one that nothing sets', 'vllm serve $(NOWHERE)', '--model=$(NOWHERE)'],
    ['a default that may be used', `vllm serve \${NOWHERE:-org/m}`, `--model=\${NOWHERE:-org/m}`],
  ])('%s', (_what, text, expected) => expect(given(text)).toBe(expected));

  it('are shown where they are set', () => {
    const [argument] = readArguments({ argsText: 'vllm serve $(MODEL_ID)', env });

    expect(argument?.from).toMatchObject({ file: 'pod.json' });
  });
});

describe('variables of the pod that hold arguments', () => {
  const ofEnv = (env: Readonly<Record<string, string>>, ...own: string[]) => {
    const variables = Object.entries(env).flatMap(([name, text]) => words(text).map((value) => ({ name, value })));
    return readArguments({ commandWords: words(...own), env: variables });
  };
  const lengthOf = (args: ReturnType<typeof ofEnv>) => effectiveArgument(args, '--max-model-len')?.value;

  it.each([
    ['KServe’s, behind the own words', 'VLLM_ADDITIONAL_ARGS', '8192'],
    ['a script’s', 'EXTRA_ARGS', '8192'],
    ['a NIM’s, which the own words outrank', 'NIM_PASSTHROUGH_ARGS', '4096'],
  ])('%s', (_what, name, expected) => {
    const env = { [name]: '--max-model-len 8192 --override-generation-config \'{"top_p": 1}\'' };

    expect(lengthOf(ofEnv(env))).toBe('8192');
    expect(lengthOf(ofEnv(env, 'vllm', 'serve', 'org/m', '--max-model-len', '4096'))).toBe(expected);
  });

  it('are the ranks of a NIM, below what it passes on, and nothing that one image reads and another does not', () => {
    const ranksOf = (env: Readonly<Record<string, string>>) =>
      effectiveArgument(ofEnv(env), '--tensor-parallel-size')?.value;
    const env = { NIM_TENSOR_PARALLEL_SIZE: '4' };

    expect(ranksOf(env)).toBe('4');
    expect(ranksOf({ NIM_PASSTHROUGH_ARGS: '--tensor-parallel-size 2', ...env })).toBe('2');
    expect(ofEnv({ NIM_KVCACHE_PERCENT: '0.5', NIM_GPU_MEM_FRACTION: '0.4', NIM_MAX_NUM_SEQS: '4' })).toEqual([]);
  });

  it('are no other variables', () => {
    expect(ofEnv({ NOTE: '--max-model-len 8192', PORT: '8000' })).toEqual([]);
  });
});

const PAIRS = "'model': 'org/m', 'max_model_len': 8192, 'enable_prefix_caching': False";
const ARGUMENTS = "allowed_origins=['*'], model='org/m, large', swap_space=4, enforce_eager=True, lora_modules=None";
const CONFIG =
  "model='org/m', dtype=torch.bfloat16, max_seq_len=40960, quantization=None, chunked_prefill_enabled=True";
const OF_TGI =
  'model_id: "acme/m",\n    revision: None,\n    sharded: Some(\n        true,\n    ),\n    quantize: Some(\n        BitsandbytesNf4,\n    ),\n    huggingface_hub_cache: Some(\n        "/data",\n    ),\n    cors_allow_origin: [],\n';

it.each([
  [
    'what was asked for',
    `INFO 07-10 10:00:00 [api_server.py:1289] non-default args: {${PAIRS}, 'limit_mm_per_prompt': {'image': 2, 'video': 1}}`,
    "--model=org/m --max-model-len=8192 --enable-prefix-caching=false --limit-mm-per-prompt={'image': 2, 'video': 1}",
  ],
  [
    'a namespace, without what is nothing',
    `INFO 02-17 19:14:31 api_server.py:841] args: Namespace(host=None, ${ARGUMENTS}, dispatch=<function serve at 0x7f>)`,
    "--allowed-origins=['*'] --model=org/m, large --enforce-eager=true --dispatch=<function serve at 0x7f>",
  ],
  [
    'the configuration of the engine, under its own names',
    `INFO 07-10 10:00:01 [core.py:70] Initializing a V1 LLM engine (v0.9.1) with config: ${CONFIG}`,
    '--model=org/m --dtype=bfloat16 --max-model-len=40960 --enable-chunked-prefill=true',
  ],
  [
    'what TGI prints a line each, some of it without a value',
    `INFO text_generation_launcher: Args {\n    ${OF_TGI}}`,
    '--model-id=acme/m --sharded=true --quantize=bitsandbytes-nf4 --huggingface-hub-cache=/data',
  ],
  [
    'a dump that was cut off',
    "INFO x] non-default args: {'model': 'org/m', 'max_model_len': 8192, 'gpu_memory_util",
    '--model=org/m --max-model-len=8192',
  ],
])('what the engine prints of its settings: %s', (_, line, expected) => {
  expect(ofLog(`${line}\n`).join(' ')).toBe(expected);
});

describe('the argument in force', () => {
  const args = readArguments({
    log: scan("INFO x] non-default args: {'max_model_len': 1}\n"),
    argsText: '--max-model-len 2 --max-num-seqs 7 --enable-prefix-caching',
    commandWords: words(
      ...'--max_model_len 3 --max-model-len=4 --max-num-seqs 8 --max_num_seqs=9 --no-enable-prefix-caching'.split(' '),
    ),
  });

  it.each([
    ['what the engine printed goes before what it was told', '--max-model-len', '1'],
    ['the last one wins, the pod before pasted text', '--max-num-seqs', '9'],
    ['asked for with underscores', '--max_num_seqs', '9'],
    ['turned off', '--enable-prefix-caching', 'false'],
    ['never set', '--max-num-batched-tokens', undefined],
  ])('%s', (_, flag, value) => {
    expect(effectiveArgument(args, flag)?.value).toBe(value);
  });

  it('turned on again after it was turned off', () => {
    const again = readArguments({ commandWords: words('--no-enable-prefix-caching', '--enable-prefix-caching') });

    expect(effectiveArgument(again, '--enable-prefix-caching')?.value).toBeNull();
  });
});

describe('values', () => {
  it.each([
    ['8192', 8192],
    ['8,192', 8192],
    ['8k', 8000],
    ['8K', 8192],
    ['25.6k', 25_600],
    ['1m', 1_000_000],
    ['1M', 1_048_576],
    [' 16 ', 16],
    ['auto', undefined],
    ['-1', undefined],
    ['', undefined],
    [null, undefined],
  ])('%s as a count', (text, expected) => expect(parseCount(text)).toBe(expected));

  it.each([
    ['0.9', 0.9],
    ['1', 1],
    ['0', 0],
    ['.5', 0.5],
    ['90', undefined],
    ['90%', undefined],
    ['', undefined],
    [null, undefined],
  ])('%s as a share', (text, expected) => expect(parseShare(text)).toBe(expected));

  it.each([
    [null, true],
    ['True', true],
    ['1', true],
    ['off', false],
    ['False', false],
    ['maybe', undefined],
  ])('%s as a switch', (text, expected) => expect(parseSwitch(text)).toBe(expected));
});

describe('the splitter', () => {
  const plain = (text: string) => splitShell(text).flatMap((word) => (word.kind === 'word' ? [word.value] : []));

  it.each([
    ['single quotes keep all', `a 'b "c" $D \\n' e`, ['a', 'b "c" $D \\n', 'e']],
    ['double quotes keep blanks', 'a "b  \\"c\\""', ['a', 'b  "c"']],
    ['quotes inside a word', `--a='b c'd`, ['--a=b cd']],
    ['an empty word', `a '' b`, ['a', '', 'b']],
    ['an escaped blank', 'a\\ b c', ['a b', 'c']],
    ['a quote that never ends', `a 'b c`, ['a', 'b c']],
    ['a variable of the kubelet', 'a $(B_C) d', ['a', '$(B_C)', 'd']],
    ['operators', 'a;b|c&&d>e', ['a', 'b', 'c', 'd', 'e']],
    ['Windows line ends', 'a \\\r\n b\r\nc', ['a', 'b', 'c']],
  ])('%s', (_, text, expected) => expect(plain(text)).toEqual(expected));

  it('gives back any words that were quoted, and never throws', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'grapheme' })), fc.string(), (values, junk) => {
        const quoted = values.map((value) => `"${value.replaceAll(/["\\$`]/g, '\\$&')}"`).join(' ');
        expect(plain(quoted)).toEqual(values);
        readArguments({ argsText: junk, commandWords: words(junk, '-c', junk) });
      }),
      { numRuns: 300, seed: 3 },
    );
  });
});

const modelOf = (command: string) => modelArgument(readArguments({ argsText: `${command}\n` }))?.value;

it.each([
  ['trtllm-serve acme/m --max_batch_size 8', 'acme/m'],
  ['trtllm-serve serve acme/m --max_batch_size 8', 'acme/m'],
  ['trtllm-serve disaggregated -c config.yaml', undefined],
  ['trtllm-serve embeddings acme/m', undefined],
  ['sglang serve acme/m --tp 2', 'acme/m'],
  ['sglang serve --model-path acme/m', 'acme/m'],
  ['vllm serve acme/m', 'acme/m'],
])('the model that stands behind a command: %s', (command, model) => {
  expect(modelOf(command)).toBe(model);
});
