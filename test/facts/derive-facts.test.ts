import { describe, expect, it } from 'vitest';
import { readFacts } from '../../src/app/triage/diagnose.ts';
import { ADVICE_FACTS } from '../../src/budget/advice-facts.ts';
import { FACT_CATALOGUE } from '../../src/facts/derive-facts.ts';
import type { Fact } from '../../src/model/fact.ts';
import { exampleCapture } from '../model/examples.ts';
import { COMPILED_SIGNATURES } from '../playbooks/shipped.ts';
import { factsOfFiles as factsOf, logged, valueOfFact as value, valueIn } from './incident.ts';

const GIB = 2 ** 30;

const OOM =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 40.00 GiB of which 512.00 MiB is free. Including non-PyTorch memory, this process has 39.50 GiB memory in use. Of the allocated memory 36.00 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated.';
const LOADING =
  '(EngineCore_DP0 pid=2) INFO 09-14 10:00:30 [gpu_model_runner.py:2602] Starting to load model acme/falcon-9b...';

describe('facts of a snapshot', () => {
  it('are those of the catalogue, each known or unknown with a reason', async () => {
    const facts = await factsOf({});

    expect([...facts.keys()]).toEqual([...FACT_CATALOGUE, ...ADVICE_FACTS].map(({ id }) => id));
    expect(
      [...facts.values()].every((fact: Fact) => fact.kind === 'unknown' && fact.reason === 'not-in-snapshot'),
    ).toBe(true);
  });

  it('come from the account of the OOM line, with the line as proof', async () => {
    const facts = await factsOf(logged(OOM));

    expect(value(facts, 'gpu.want')).toBe(1.5 * GIB);
    expect(value(facts, 'gpu.allocated-share')).toBeCloseTo(0.9);
    expect(value(facts, 'gpu.slack-share')).toBeCloseTo(0.05);
    expect(value(facts, 'gpu.fragmented')).toBe(true);
    expect(value(facts, 'gpu.capped')).toBe(false);
    expect(facts.get('gpu.want')).toMatchObject({ from: [{ kind: 'line', file: 'previous.log', line: 1, text: OOM }] });
  });

  it.each([
    ['22.20 GiB', false],
    ['14.75 GiB', true],
  ])('are held to a part by a limit below the card, not by one of its size: %s', async (limit, capped) => {
    const report = [
      'torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)',
      'Currently allocated     : 14.00 GiB',
      'Requested               : 4.83 GiB',
      'Device limit            : 22.20 GiB',
      'Free (according to CUDA): 11.12 MiB',
      `PyTorch limit (set by user-supplied memory fraction) : ${limit}`,
    ];
    const facts = await factsOf(logged(...report));

    expect(value(facts, 'gpu.capped')).toBe(capped);
    // What the pool of this allocator keeps of freed tensors it does not say.
    expect(facts.get('gpu.unmanaged')?.kind).toBe('unknown');
  });

  it('stay within the values of their unit and choice', async () => {
    const facts = await factsOf({
      'previous.log': `${LOADING}\n${OOM}\n`,
      'args.txt': '--gpu-memory-utilization 0.9\n',
    });

    const wrong = FACT_CATALOGUE.filter(({ id, unit, values }) => {
      const found = value(facts, id);
      if (found === undefined) return false;
      if (unit === 'choice') return values?.includes(String(found)) !== true;
      return (unit === 'yes-no') !== (typeof found === 'boolean');
    });
    expect(wrong.map(({ id }) => id)).toEqual([]);
  });
});

describe('why a fact is not known', () => {
  /** The facts of a capture that could not read this. */
  const without = (item: string, reason: string) =>
    factsOf({
      'incident.json': JSON.stringify({
        capture: { ...exampleCapture, notRead: [{ item, reason, detail: 'of this test' }] },
      }),
    });
  const NOT_THERE = { kind: 'unknown', reason: 'not-in-snapshot' };

  it.each([
    ['previous.log', 'gone', 'gpu.oom-logged'],
    ['node.json', 'forbidden', 'node.memory-allocatable'],
    ['metrics', 'unreachable', 'kv-cache.used-share'],
    ['revisions.json', 'deadline', 'revision.changed'],
  ] as const)('%s was not read (%s): so it is with %s', async (item, reason, id) => {
    expect((await without(item, reason)).get(id)).toMatchObject({ kind: 'unknown', reason });
  });

  it('is not-in-snapshot for all that the list does not name', async () => {
    expect((await without('node.json', 'forbidden')).get('requests.running')).toMatchObject(NOT_THERE);
  });

  it('of an engine is not what metrics.k8s.io did not tell: that knows containers alone', async () => {
    expect((await without('metrics.k8s.io', 'gone')).get('kv-cache.used-share')).toMatchObject(NOT_THERE);
  });

  it('is failed where a file was there and could not be read', async () => {
    const source = {
      id: 'x',
      list: async () => ['previous.log'],
      read: async () => '',
      open: () => {
        throw new Error('disk');
      },
    };

    expect((await readFacts(source, COMPILED_SIGNATURES)).get('gpu.oom-logged')).toMatchObject({
      kind: 'unknown',
      reason: 'failed',
    });
  });
});

describe('the weight of lines', () => {
  const KILL = 'Memory cgroup out of memory: Killed process 7 (python3) total-vm:1kB, anon-rss:1kB, file-rss:0kB';
  const FAULT = 'RuntimeError: CUDA error: an illegal memory access was encountered';
  const CUDA = 'RuntimeError: CUDA error: out of memory';
  const REFUSED = "ValueError: This model's maximum context length is 4096 tokens. However, you requested 5000 tokens";
  const RAY =
    'There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage.';

  it.each([
    ['the first proof, not the last', [OOM, `${KILL}, shmem-rss:0kB`], 'gpu'],
    ['a proof before an earlier line that rules out', [FAULT, OOM], 'gpu'],
    ['the first of a strong line and one that rules out', [FAULT, CUDA], 'none'],
    ['a line that could end a process before a refused request', [REFUSED, CUDA], 'gpu'],
    ['a refused request where nothing else is', [REFUSED], 'none'],
    ['nothing in what Ray prints for any dead actor', [RAY], undefined],
    ['nothing in signal 9 alone', ['Process was killed by SIGKILL'], undefined],
  ] as const)('is %s', async (_name, lines, plane) => {
    expect(await valueIn(logged(...lines), 'evidence.plane')).toBe(plane);
  });

  it("takes the engine's own word before that of the language on the same line", async () => {
    const line = 'MemoryError: No enough free memory blocks.';

    expect(await valueIn(logged(line), 'evidence.cause')).toBe('gpu.burst.concurrency');
  });
});

describe('when it failed', () => {
  it.each([
    ['by the word of the folder', { 'incident.json': '{"uptime":"startup"}' }, 'starting', undefined],
    ['by a load that was noted', { 'incident.json': '{"uptime":"model load"}' }, 'starting', undefined],
    [
      'by the log where only a first request was noted',
      { 'incident.json': '{"uptime":"first request"}', 'previous.log': `${LOADING}\n${OOM}\n` },
      'starting',
      undefined,
    ],
    ['by no word that tells no time', { 'incident.json': '{"uptime":"unknown"}' }, undefined, undefined],
    ['by hours of age', { 'incident.json': '{"uptime":"hours"}' }, 'serving', 'hours'],
    ['by a milestone of the start', { 'previous.log': `${LOADING}\n${OOM}\n` }, 'starting', undefined],
  ] as const)('is told %s', async (_name, files, life, age) => {
    const facts = await factsOf(files);

    expect(value(facts, 'failure.life')).toBe(life);
    expect(value(facts, 'failure.age')).toBe(age);
  });

  it('takes the profile run for the stage although it calls the forward pass', async () => {
    const frames = ['in determine_available_memory', 'in profile_run', 'in execute_model'].map(
      (frame, i) => `  File "/x/vllm/v1/worker/gpu_worker.py", line ${i}, ${frame}`,
    );

    expect(await valueIn(logged(...frames, OOM), 'log.stage')).toBe('profile');
  });
});

describe('advice from the numbers of the incident', () => {
  const refusal =
    "ValueError: To serve at least one request with the models's max seq len (65536), (8.0 GiB KV cache is needed, which is larger than the available KV cache memory (6.0 GiB). Based on the available memory, the estimated maximum model length is 49152.";

  it('lowers the length to 95% of what the engine says fits, in whole blocks', async () => {
    expect(await valueIn(logged(refusal), 'advice.max-model-len')).toBe(46_688);
  });

  it('lowers the fraction by twice what was missing, at least by 0.03', async () => {
    const files = { ...logged(OOM), 'args.txt': '--gpu-memory-utilization 0.9\n' };

    expect(await valueIn(files, 'advice.utilization-lower')).toBe(0.85);
  });

  it('knows nothing to lower where the fraction is not known', async () => {
    expect(await valueIn(logged(OOM), 'advice.utilization-lower')).toBeUndefined();
  });
});
