import { describe, expect, it } from 'vitest';
import { aPod } from '../../read/cluster/a-pod.ts';
import { type Files, factsOfFiles, known, logged, valueIn } from '../incident.ts';

const factValue = (id: string, files: Files) => valueIn(files, id);

describe('the engine that nothing names', () => {
  const CACHE = 'vllm:cache_config_info{block_size="16",num_gpu_blocks="27000"} 1.0\n';

  it.each([
    [
      'its flags',
      { 'args.txt': '--model=acme/m --gpu-memory-utilization=0.9 --max-model-len=8192\n' },
      'vllm',
      'args.txt',
    ],
    ['a flag of its memory', { 'args.txt': 'python serve.py --max-num-seqs 64\n' }, 'vllm', 'args.txt'],
    ['its metrics', { 'metrics.txt': CACHE }, 'vllm', 'metrics.txt'],
    ['metrics of another', { 'metrics.txt': 'sglang:num_running_reqs 3\n' }, 'sglang', 'metrics.txt'],
  ])('is told by %s', async (_, files, engine, file) => {
    expect((await factsOfFiles(files)).get('engine.name')).toMatchObject({ value: engine, from: [{ file }] });
  });

  it.each([
    ['flags that any program may have', { 'args.txt': 'python serve.py --model acme/m --port 8000\n' }],
    ['flags of two engines', { 'args.txt': 'serve.py --max-num-seqs 64 --mem-fraction-static 0.8\n' }],
    ['the metrics of a web server', { 'metrics.txt': 'http_requests_total{status="2xx"} 7\n' }],
  ])('is not told by %s', async (_, files) => {
    expect(await factValue('engine.name', files)).toBeUndefined();
  });
});

describe('the engine of a pasted command', () => {
  it.each([
    ['vllm', 'vllm serve Qwen/Qwen3-8B --max-model-len 8192'],
    ['sglang', 'python -m sglang.launch_server --model-path /models/vllm/qwen --tp 2'],
    ['tgi', 'text-generation-launcher --model-id m'],
    ['llama.cpp', '/app/llama-server -m m.gguf -c 8192'],
    ['tensorrt-llm', 'trtllm-serve m'],
    ['vllm', "bash -lc 'ulimit -n 65536; exec vllm serve m --tp 2'"],
    ['vllm', 'python3 -m huggingfaceserver --model_name=m --backend=vllm'],
  ])('is %s of %s', async (engine, command) => {
    expect(await factValue('engine.name', { 'args.txt': `# as started\n${command}\n` })).toBe(engine);
  });

  it('is not told by the value of a flag or of a variable', async () => {
    const files = { 'args.txt': 'python3 /app/serve.py --model /models/vllm/qwen --name sglang\nCACHE=/var/ollama\n' };
    expect(await factValue('engine.name', files)).toBeUndefined();
  });

  it('leads to the line that names it', async () => {
    const facts = await factsOfFiles({ 'args.txt': '# as started\nvllm serve m\n' });

    expect(facts.get('engine.name')).toMatchObject({
      from: [{ kind: 'line', file: 'args.txt', line: 2, text: 'vllm serve m' }],
    });
  });

  it('gives the version of its image, and the cluster goes first', async () => {
    const pasted = { 'args.txt': 'docker run --gpus all vllm/vllm-openai:v0.9.1 --model m\n' };
    expect(await factValue('engine.version', pasted)).toBe('0.9.1');
    const pod = aPod({ container: { image: 'vllm/vllm-openai:v0.11.0' } });
    const both = { ...pasted, 'pod.json': JSON.stringify(pod) };
    expect(await factValue('engine.version', both)).toBe('0.11.0');
  });
});

describe('the engine of a pod without a log', () => {
  const named = async (command: readonly string[], args: readonly string[], image = 'acme.example/serve:1') =>
    factValue('engine.name', { 'pod.json': JSON.stringify(aPod({ container: { image, command, args } })) });
  const KSERVE = 'kserve/huggingfaceserver:v0.15.0-gpu';

  type Words = readonly string[];

  it.each<[engine: string, what: string, command: Words, args: Words, image?: string]>([
    ['vllm', 'the backend that KServe is told', [], ['--model_name=m', '--backend=vllm'], KSERVE],
    ['vllm', 'the backend as a word of its own', [], ['--model_name=m', '--backend', 'vllm'], KSERVE],
    ['vllm', 'that of another server', ['swift', 'deploy'], ['--infer_backend=vllm']],
    ['vllm', 'a script', ['/bin/sh', '-c'], ['exec vllm serve m --max-model-len 8000']],
    ['vllm', 'a script of several lines', ['bash', '-lc', 'set -e\nulimit -n 65536\nA=/var/ollama vllm serve m'], []],
    [
      'sglang',
      'a script with a path',
      ['bash', '-c', 'python3 -m sglang.launch_server --model-path /models/vllm/m'],
      [],
    ],
    ['tensorrt-llm', 'a launcher before it', ['mpirun', '-n', '8', '--allow-run-as-root', 'trtllm-serve', 'm'], []],
  ])('is %s by %s', async (engine, _what, command, args, image) => {
    expect(await named(command, args, image)).toBe(engine);
  });

  it.each<[what: string, command: Words, args: Words, image?: string]>([
    ['another backend of KServe', [], ['--model_name=vllm', '--backend=huggingface'], KSERVE],
    ['a backend of its kernels', [], ['--attention-backend', 'triton']],
    ['a name that it serves under', [], ['--served-model-name', 'vllm']],
    ['a variable of a script', ['sh', '-c', 'CACHE=/var/ollama /app/serve'], []],
  ])('is not told by %s', async (_what, command, args, image) => {
    expect(await named(command, args, image)).toBeUndefined();
  });

  it('is named by its image', async () => {
    const pod = aPod({ container: { image: 'lmsysorg/sglang:v0.5.2', command: [], args: [] } });
    const files = { 'pod.json': JSON.stringify(pod) };
    expect(await factValue('engine.name', files)).toBe('sglang');
  });
});

describe('the engine inside a declared server', () => {
  const said = (engine: string, log: string, engine_version?: string) => ({
    ...known({ engine, engine_version }),
    ...logged(log),
  });
  const POOL = '[TensorRT-LLM][INFO] Max tokens in paged KV cache: 117760. Allocating 54022635520 bytes.';
  const LOADED = 'INFO 09-14 10:01:13 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 40.120 seconds';

  it.each([
    ['tensorrt-llm', said('triton', POOL)],
    ['vllm', said('triton', LOADED)],
    ['sglang', said('sglang', LOADED)],
    ['triton', said('triton', 'I0601 10:00:00.1 1 model_lifecycle.cc:461] loading: a:1')],
  ])('is %s, by its own lines', async (engine, files) => {
    expect(await factValue('engine.name', files)).toBe(engine);
  });

  it('has not the version of the server', async () => {
    expect(await factValue('engine.version', said('triton', LOADED, '2.60.0'))).toBeUndefined();
    expect(await factValue('engine.version', said('vllm', LOADED, '0.9.1'))).toBe('0.9.1');
  });

  it('was starting when it asked for its pool', async () => {
    const log = `${POOL}\n[TensorRT-LLM][ERROR] CUDA runtime error in ::cudaMallocAsync(ptr, n, mCudaStream->get()): out of memory`;

    expect(await factValue('engine.last-milestone', said('triton', log))).toBe('profiled');
    expect(await factValue('failure.life', said('triton', log))).toBe('starting');
  });
});
