import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(...remarks: readonly string[]) {
  const source = aSnapshot({ 'previous.log': `${remarks.map((remark) => `# ${remark}\n`).join('')}` });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('what people changed, and with what it went well', () => {
  it.each<[string, string, string]>([
    // Two values of one setting.
    ['startup', 'gpu.startup.utilization', '0.97 does not come up, 0.91 comes up'],
    ['startup', 'gpu.startup.kv-room', '--gpu-memory-utilization 0.5 refuses to start; raised to 0.85 it starts'],
    ['startup', 'gpu.startup.parallelism', 'does not fit with tp=2, with tp=4 it fits'],
    ['startup', 'gpu.startup.kv-room', 'max-model-len 65536 起不来，改成 8192 就能起'],
    ['startup', 'gpu.startup.weights', 'with -ngl 30 it loads, with -ngl 40 not'],
    [
      'burst',
      'gpu.burst.batched-tokens',
      'under load: --chunked-prefill-size 16384: dead within a minute, 2048: no trouble',
    ],
    [
      'burst',
      'gpu.burst.long-context',
      'requests with more than 9k prompt tokens raise a CUDA OutOfMemoryError; shorter ones are answered',
    ],
    ['burst', 'gpu.burst.long-context', '1k and 2k inputs pass; an input of 6k tokens ends with CUDA out of memory'],
    ['burst', 'gpu.burst.concurrency', '16 users fine, 200 users and the engine is gone'],
    [
      'burst',
      'gpu.burst.concurrency',
      'OLLAMA_NUM_PARALLEL=6: the runner dies once several people chat; back to 2, stable',
    ],
    ['burst', 'gpu.burst.multimodal', '800x600 pictures OK, 6000x4000 photos take the server down'],
    ['startup', 'gpu.startup.kv-room', '单卡跑 32B，max-model-len 32768 起不来，改成 8192 就能起'],
    [
      'startup',
      'gpu.startup.profiling',
      'fails after the weights are in with max_num_batched_tokens 65536; with 8192 ok',
    ],
    // With and without.
    ['startup', 'gpu.startup.graph-capture', 'without --enforce-eager it dies at the start, with it up in a minute'],
    [
      'burst',
      'gpu.burst.logits',
      'with return_logprob=True a prompt kills it; without the flag the same prompt is answered',
    ],
    [
      'startup',
      'host.startup.weight-staging',
      'with mmap it comes up, with --no-mmap it is gone before the first request',
    ],
    // Over two notes.
    ['startup', 'gpu.startup.graph-capture', 'does not start | with --enforce-eager it starts'],
    // A cure alone.
    [
      'startup',
      'gpu.startup.shared-gpu',
      'does not start; after kill -9 of the old process on the card the restart went through',
    ],
    ['startup', 'gpu.startup.weights', 'the 32B will not load, the AWQ version of the same model came up'],
    ['startup', 'host.offload', 'swap-space 64: gone at start; works with --swap-space 4'],
    ['burst', 'gpu.burst.batched-tokens', 'OOM with concurrent long requests; works with --max-prefill 4096'],
    ['startup', 'host.startup.limit', 'never ready with memory limit 4Gi; with 40Gi ready'],
    ['startup', 'host.shm', 'fails to start without --ipc=host; --shm-size 16g and everything is OK'],
    ['startup', 'host.startup.workers', 'gunicorn -w 6 does not start; -w 2 good'],
    ['n/a', 'none.probe-kill', 'restarted while loading each time; initialDelaySeconds 900: Ready'],
    ['n/a', 'none.comm', 'two nodes, the second never joins; ufw off => starts'],
    ['n/a', 'none.comm', 'fails when all ray nodes come at once; if the nodes join one after another it starts'],
    ['n/a', 'none.comm', 'all at once it fails, with the worker pods connecting staggered (sleep 15) it comes up'],
    ['n/a', 'none.comm', 'does not start; with the head node up first it starts'],
    ['n/a', 'none.comm', '两台机器同时启动就报错，先起主节点再起从节点就正常'],
    ['startup', 'host.startup.workers', 'the workers load one by one and it starts, all at once it is gone'],
    ['n/a', 'none.driver', 'server says that there is no device; with --gpus all it is there'],
  ])('%s %s: %s', async (phase, cause, remarks) => {
    expect(await verdictOf(...remarks.split(' | '))).toMatchObject({ phase, cause, certain: false });
  });

  it.each([
    ['did not help', 'gpu_memory_utilization=0.8 did not help'],
    ['made no difference', 'with --enforce-eager and without: the same line, never a word more'],
    ['was proposed', 'somebody suggests --max-model-len 8192'],
    ['is only there', 'started with --shm-size 16g and --max-model-len 8192'],
    ['changed the speed', '11 tok/s; with --enforce-eager 24 tok/s, works well'],
    ['cured a crash of another kind', 'segfault in the tokenizer; works with --enforce-eager'],
    ['cured an exception', 'KeyError while loading; works with the AWQ version'],
    ['stands beside something that waits', '图捕获进度条一直是 0%，等了很久没有变化，没有报错'],
    ['cured a hang', 'hangs for ever; works with --enforce-eager'],
    ['describes the model', 'Qwen 7B AWQ on a 24 GB card'],
    ['was not compared', 'temperature 0.9 ok, 0.5 not'],
  ])('what %s points at no memory: %s', async (_, remark) => {
    expect((await verdictOf(remark)).plane).not.toMatch(/^(?:gpu|host|both)$/);
  });
});
