import { describe, expect, it } from 'vitest';
import { diagnoseSource, readFacts } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(log: string) {
  const { diagnosis } = await diagnoseSource(aSnapshot({ 'previous.log': `${log}\n` }), {
    phrases: COMPILED_PHRASES,
    judge,
  });
  return diagnosis.verdict;
}

async function judged(log: string) {
  const { plane, cause, certain } = await verdictOf(log);
  return { plane, cause, certain };
}

// The buffers that Ollama prints while it loads part of a model to RAM.
const HALF_ON_CARD = [
  'llm_load_tensors: offloaded 23/57 layers to GPU',
  'llm_load_tensors:        CPU buffer size = 46017.18 MiB',
  'llm_load_tensors:      CUDA0 buffer size = 16192.69 MiB',
].join('\n');

describe('what people note', () => {
  it.each([
    ['a leakage', '# Since the upgrade we see RAM leakage, all else is the same', 'host', 'host.chronic.leak'],
    ['an overflow', '# CPU memory overflow while it works through the queue of prompts', 'host', 'host.burst.payload'],
    [
      'a limit of hundreds of MiB',
      '# OOMKilled (exit 137) within 11 s of every start\n# 512Mi limit',
      'host',
      'host.startup.limit',
    ],
    [
      'a limit of tens of GiB',
      '# OOMKilled (exit 137) within 11 s of every start\n# 96Gi limit',
      'host',
      'host.startup.weight-staging',
    ],
    ['what one sees', '# we still see OOM errors on long prompts', 'gpu', 'gpu.burst.long-context'],
    [
      'a launch with larger passes',
      '# Out of memory when launching the server with --max-batch-prefill-tokens 23000',
      'gpu',
      'gpu.startup.profiling',
    ],
    [
      'a machine that hangs',
      '# the memory keeps getting exhausted, causing the system to hang and fail to start',
      'host',
      'host.node-pressure',
    ],
    ['many pictures and turns', '# OOM with multi-image multi-turn inputs', 'gpu', 'gpu.burst.multimodal'],
    ['a growth as a noun', '# pods get OOM killed due to a continuous increase in memory', 'host', 'host.chronic.leak'],
    ['what piles up', '# every request is piling up in the shared memory of the backend', 'host', 'host.chronic.leak'],
    ['what is not released', '# unloading a model does not release GPU memory', 'gpu', 'gpu.chronic.leak'],
    ['what builds up', '# RAM usage builds up with time, 100 % after a few days', 'host', 'host.chronic.leak'],
    ['who restarts it', '# the pod is restarted by k8s because of OOM after hours', 'host', 'host.chronic.leak'],
    ['what goes on', '# the memory continues to increase with each call', 'host', 'host.chronic.leak'],
    [
      'a rise that ends in a kill',
      '# memory usage of the server raises at a constant rate, overshoots the limit and drops down to 0 as it is killed',
      'host',
      'host.chronic.leak',
    ],
    ['what PyTorch does not hold', '# non-torch memory grows steadily with the requests', 'gpu', 'gpu.chronic.leak'],
    [
      'fragments',
      '# OOM at the second step: fragmentation, 20 GiB reserved but unallocated',
      'gpu',
      'gpu.chronic.fragmentation',
    ],
    [
      'what joined the fragments',
      '# OOMs on long runs; expandable_segments:True cleared it',
      'gpu',
      'gpu.chronic.fragmentation',
    ],
    [
      'a setting that did not help',
      '# OOM on load; gpu-memory-utilization raised and lowered, not working',
      'gpu',
      'gpu.startup.weights',
    ],
    ['a node', '# the task was killed due to the node running low on memory', 'host', 'host.node-pressure'],
    ['shared memory', '# the container runs out of shared memory at the second request', 'host', 'host.shm'],
    [
      'a pass of a million tokens',
      '# a 1M-token prefill kills the engine with CUDA OOM',
      'gpu',
      'gpu.burst.long-context',
    ],
    ['logits', '# return_context_logits: the request fails with out of memory', 'gpu', 'gpu.burst.logits'],
    ['several', '# attention on these inputs OOMs', 'gpu', 'gpu.burst.headroom'],
    [
      'two sizes',
      '# requests with prompt_logprobs: every rank tries to allocate 304 MiB with 218.81 MiB free',
      'gpu',
      'gpu.burst.logits',
    ],
    ['a harness that asks for likelihoods', '# OOM in the MMLU task with lm_eval', 'gpu', 'gpu.burst.logits'],
    [
      'what a cache keeps, which is no growth',
      '# OOMs at loss.backward(): it keeps some cached memory and does not return it in time',
      'gpu',
      'gpu.burst.headroom',
    ],
    [
      'ranks that keep a checkpoint each',
      '# every TP worker keeps the full checkpoint in host RAM, and the host goes out of memory',
      'host',
      'host.startup.workers',
    ],
    [
      'RAM that grows in a load, which is no leak',
      '# CPU memory grows abnormally while the model is loaded, until OOM',
      'host',
      'host.startup.weight-staging',
    ],
    [
      'the same settings, which made no difference',
      '# num_batch 256, num_ctx 32678: the same settings run flawlessly on 0.11.2, now it runs out of memory on load',
      'gpu',
      'gpu.startup.weights',
    ],
    [
      'a pool that ends the engine',
      '# when the KV cache of decode is exhausted the server crashes',
      'gpu',
      'gpu.burst.concurrency',
    ],
    [
      'actors that start together',
      '# actors are created at the same time, and the memory monitor of the node kills the last one',
      'host',
      'host.startup.workers',
    ],
    [
      'a kill beside a lost connection',
      'ERROR: Put task failed: [Errno 32] Broken pipe\n# the cache server gets OOMKilled and restarts',
      'host',
      'host.startup.limit',
    ],
    [
      'a cache of prompts',
      '# OOM-killed after hours: the prompt cache grew to 222 GB, the bound of --cache-ram is not enforced',
      'host',
      'host.offload',
    ],
    ['a want at the start', '# Insufficient memory problem when vLLM starts', 'gpu', 'gpu.startup.weights'],
    [
      'resources that are pasted',
      '# 3 pods have the exit code 137 OOMKilled\n            requests:\n              cpu: 500m',
      'host',
      'host.startup.limit',
    ],
    [
      'a download',
      '# downloading any model larger than 8 GB causes an OOM error in the init container',
      'host',
      'host.startup.limit',
    ],
    ['an agent beside the engine', '# the agent container is OOMKilled', 'host', 'host.startup.limit'],
    [
      'who outlived the one that started it',
      '# the API server was killed; its EngineCore lives on and holds 104277 MiB',
      'gpu',
      'gpu.startup.shared-gpu',
    ],
    [
      'what a crash left',
      '# after the crash the VRAM is not freed, the next start runs out of memory',
      'gpu',
      'gpu.startup.shared-gpu',
    ],
    ['an OOM of the host', '# repeated host OOM', 'host', 'host.startup.limit'],
    ['a lack of RAM', '# the new pod dies for want of host memory', 'host', 'host.startup.limit'],
    ['Ray', '# ray OOM in tensor parallel', 'host', 'host.startup.limit'],
    [
      'the monitor of Ray',
      '# the memory monitor kills actors while the engine initializes',
      'host',
      'host.startup.weight-staging',
    ],
    [
      'the code of a kill',
      '# it fails at the step when loading the language model: Error code 137',
      'host',
      'host.startup.weight-staging',
    ],
    [
      'more resources',
      '# the server dies with code 137; with more resources in docker it is fine',
      'host',
      'host.startup.limit',
    ],
    [
      'a sentence of the engine',
      "# The model's max seq len (4096) is larger than the maximum number of tokens that can be stored in KV cache (1216)",
      'gpu',
      'gpu.startup.kv-room',
    ],
    ['an end every so many hours', '# the pod is OOMKilling every ~45 hours under load', 'host', 'host.chronic.leak'],
    ['a machine by its parts', '# OOM on dual rtx 3090 and 128gb ddr4 ram', 'gpu', 'gpu.burst.headroom'],
    [
      'a step whose media are none',
      'ERROR [dump_input.py:79] Dumping scheduler output for model execution: SchedulerOutput(scheduled_new_reqs=[NewRequestData(req_id=c,prompt_token_ids_len=13363,mm_features=[])], total_num_scheduled_tokens=8000)\n# OOM on the card',
      'gpu',
      'gpu.burst.headroom',
    ],
    ['docker inspect', '# serving for a day, then oom=true exit=137', 'host', 'host.burst.payload'],
    [
      'a container',
      '# with 32 GB for it, the container got OOM’d while it served requests',
      'host',
      'host.burst.payload',
    ],
    [
      'requests beside what was set',
      "# OOM for concurrent requests\nserver_args=ServerArgs(model_path='m/M-8B', context_length=4096, mem_fraction_static=0.88)",
      'gpu',
      'gpu.burst.headroom',
    ],
    ['a wake-up', '# OOM when waking up the engine between two steps', 'gpu', 'gpu.startup.shared-gpu'],
    [
      'a step of TGI whose traceback is cut',
      'ERROR text_generation_launcher: Method Prefill encountered an error.\nTraceback (most recent call last):',
      'gpu',
      'gpu.burst.headroom',
    ],
    [
      'a warm-up of TGI whose traceback is cut',
      'ERROR text_generation_launcher: Method Warmup encountered an error.\nTraceback (most recent call last):',
      'gpu',
      'gpu.startup.profiling',
    ],
    ['a call of the card', `${HALF_ON_CARD}\n# CUDA malloc fails at the second start`, 'gpu', 'gpu.startup.weights'],
    ['OOM alone, beside weights in RAM', `${HALF_ON_CARD}\n# OOM at the second start`, 'host', 'host.offload'],
  ])('of %s leads a guess', async (_name, log, plane, cause) => {
    expect(await judged(log)).toEqual({ plane, cause, certain: false });
  });

  it('dates a failure by the last line that speaks of a start, where nothing else does', async () => {
    const found = await judged(
      'WARNING - loading from workspace, ignore args\n# it runs out of GPU memory since the update',
    );
    const { facts } = await diagnoseSource(
      aSnapshot({ 'previous.log': 'loading the model weights from disk\n# GPU out of memory since the update\n' }),
      { phrases: COMPILED_PHRASES, judge },
    );

    expect(found).toMatchObject({ plane: 'gpu' });
    expect(facts.get('failure.life')).toMatchObject({ value: 'starting' });
  });

  it('of a memory in the table beside the log is that memory', async () => {
    const { diagnosis } = await diagnoseSource(
      aSnapshot({
        'previous.log': '# it fails now and then\n',
        'metrics.txt': 'WSS 24 GiB, peak of 40 GiB, then OOM\n',
      }),
      { phrases: COMPILED_PHRASES, judge },
    );

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', certain: false });
  });

  it('of a growth that is rapid, and may be, leads to no leak', async () => {
    expect(await judged('# rapid memory growth at high concurrency, it may trigger OOM')).toMatchObject({
      plane: 'unknown',
    });
  });

  it('Ray guesses of a kill leads to no leak, and the kill is proved', async () => {
    const low =
      '(raylet) node_manager.cc:2963: System memory low at node with IP 172.17.0.2. Used memory (23.63GB) / total capacity (33.28GB) (0.709971) exceeds threshold 0.7, killing latest task with name a:W.__init__ and actor ID dc0d to avoid running out of memory.';
    const guess =
      '(raylet) This may indicate a memory leak in a task or actor, or that too many tasks are running in parallel.';

    expect(await judged(`${low}\n${guess}`)).toEqual({ plane: 'host', cause: 'host.node-pressure', certain: true });
  });

  it('of a kill by hand leads none', async () => {
    expect(await judged('# a server is killed with SIGKILL (`kill -9`), the next one answers nothing')).toMatchObject({
      plane: 'unknown',
    });
  });

  it('of no leakage leads none', async () => {
    expect(await judged('# no RAM leakage was found')).toMatchObject({ plane: 'unknown' });
  });

  it.each(['the Pod reached its max. memory limit', 'the memory limit of the container is hit'])(
    'of a limit that is reached leads to RAM, whatever the exit code: %s',
    async (remark) => {
      expect(await judged(`      Exit Code:    137\n# ${remark}`)).toMatchObject({
        plane: 'host',
        cause: 'host.startup.limit',
      });
    },
  );

  it.each(['the job never hits the memory limit', 'the GPU memory limit is reached'])(
    'of a limit that is not reached, or of a card, leads to no RAM: %s',
    async (remark) => {
      expect(await judged(`# ${remark}`)).not.toMatchObject({ plane: 'host' });
    },
  );

  it('an exit code of 137 alone leads nowhere', async () => {
    expect(await verdictOf('      Reason: Error\n      Exit Code:    137')).toMatchObject({
      plane: 'unknown',
      finding: 'unknown-killed-alone',
    });
  });

  it('of what is around an engine does not gainsay the engine that the log shows', async () => {
    const named = async (engine: string, log: string) =>
      (
        await readFacts(
          aSnapshot({ 'previous.log': log, 'incident.json': JSON.stringify({ engine }) }),
          COMPILED_PHRASES,
        )
      ).get('engine.name');
    const ofVllm =
      '(EngineCore_DP0 pid=494) INFO 05-20 00:55:13 [gpu_worker.py:424] Available KV cache memory: 6.94 GiB\n';

    expect(await named('xinference', ofVllm)).toMatchObject({ value: 'vllm' });
    expect(await named('sglang', ofVllm)).toMatchObject({ value: 'sglang' });
    expect(await named('xinference', 'it ended\n')).toMatchObject({ value: 'xinference' });
  });

  it('is named as what it names', async () => {
    const named = async (remark: string) =>
      (await readFacts(aSnapshot({ 'previous.log': `${remark}\n` }), COMPILED_PHRASES)).get('log.remark-names');

    expect(await named('# CUDA malloc fails')).toMatchObject({ value: 'gpu' });
    expect(await named('# it ends with OOM')).toMatchObject({ kind: 'unknown' });
  });
});
