import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findScenario, openScenario } from '../../src/playground/scenarios/open-scenario.ts';
import { createSystemClock } from '../../src/system/clock.ts';
import { runOom } from '../fakes/terminal.ts';
import { type Change, runEngine } from './run-engine.ts';

type Flags = NonNullable<Change['flags']>;

/** The flags that `oom plan` would change. */
async function plannedFlags(name: string): Promise<Flags> {
  const folder = mkdtempSync(join(tmpdir(), 'oom-outcome-'));
  const open = await openScenario(name, { clock: createSystemClock(), speed: 0 });
  try {
    const config = join(folder, 'oombot.yaml');
    writeFileSync(config, [...open.botConfig, 'store: { url: "sqlite::memory:" }'].join('\n'));
    const service = open.scenario.services[0];
    const { out, err } = await runOom(['--config', config, 'plan', `llm/${service?.name}`, '--json']);
    if (out === '') throw new Error(err);
    const { plan } = JSON.parse(out) as { plan: { edits: { flag: string; to: string }[] } };
    return Object.fromEntries(plan.edits.map(({ flag, to }) => [flag, to]));
  } finally {
    await open.close();
    rmSync(folder, { recursive: true });
  }
}

const util = (value: string): Flags => ({ '--gpu-memory-utilization': value });
const fraction = (value: string): Flags => ({ '--mem-fraction-static': value });

const isSome = (count: number): boolean => count > 5;

// Minutes are enough for several of the heaviest requests.
describe('an engine dies, survives with what oombot plans, and dies with the opposite', () => {
  it.each<[string, number, RegExp, Flags]>([
    ['vllm-kv-room', 3, /To serve at least one request/, { '--max-model-len': '131072' }],
    ['vllm-graph-capture', 3, /in capture_model/, util('0.995')],
    ['vllm-profiling', 3, /warming up sampler with 8192 dummy requests/, { '--max-num-seqs': '16384' }],
    ['vllm-utilization', 3, /Free memory on device \(20\.56\/22\.06 GiB\)/, util('0.97')],
    ['sglang-kv-room', 3, /Please try to increase --mem-fraction-static/, fraction('0.6')],
    ['sglang-graph-capture', 3, /Capture cuda graph failed: CUDA out of memory/, fraction('0.995')],
    ['vllm-burst', 10, /CUDA out of memory[\s\S]*EngineDeadError/, util('0.99')],
    ['vllm-long-context', 15, /CUDA out of memory/, util('0.96')],
    [
      'vllm-batched-tokens',
      10,
      /total_num_scheduled_tokens=32768|CUDA out of memory/,
      { '--max-num-batched-tokens': '65536' },
    ],
    [
      'sglang-concurrency',
      10,
      /Decode out of memory\. Try to lower your batch size/,
      { '--max-running-requests': '48' },
    ],
    ['sglang-one-long-request', 30, /No space left for only one request/, { '--context-length': '131072' }],
  ])('%s', async (name, minutes, dies, opposite) => {
    const scenario = findScenario(name);

    const unchanged = runEngine(scenario, minutes);
    const flags = await plannedFlags(name);
    const planned = runEngine(scenario, minutes, { flags });
    const wrong = runEngine(scenario, minutes, { flags: opposite });

    expect(unchanged).toMatchObject({ end: 'Error', lastLines: expect.stringMatching(dies) });
    expect(planned).toMatchObject({ end: undefined });
    expect(planned.finished).toBeGreaterThan(5);
    // SGLang takes requests back as it serves; vLLM has a pool that holds them.
    if (!name.startsWith('sglang')) expect(runEngine(scenario, 60, { flags }).preempted).toBe(0);
    expect(wrong.end).toBe('Error');
  });
});

// Changes that are no flags of a plan: the allocator, another GPU, other requests.
describe('an engine dies, survives with the remedy of its finding, and dies without it', () => {
  it.each<[string, number, Change, Change]>([
    [
      'vllm-fragmentation',
      250,
      { env: { PYTORCH_CUDA_ALLOC_CONF: 'expandable_segments:True' } },
      { flags: util('0.88') },
    ],
    [
      'vllm-gpu-leak',
      110,
      { flags: { '--enable-lora': null } },
      { flags: { '--enable-lora': '', '--gpu-memory-utilization': '0.8' } },
    ],
    ['vllm-logits', 5, { traffic: { promptLogprobs: false } }, { flags: { '--max-num-batched-tokens': '16384' } }],
    ['vllm-images', 5, { traffic: { images: 1 } }, { traffic: { images: 16 } }],
    ['vllm-shared-gpu', 3, { service: { otherProcess: undefined } as never }, { flags: util('0.95') }],
    ['vllm-weights', 3, { service: { gpu: 'A100-80GB' } }, { flags: { '--max-model-len': '1024' } }],
    ['vllm-one-gpu', 5, { flags: { '--tensor-parallel-size': '2' } }, { flags: util('0.98') }],
    ['ram-shared-memory', 5, { service: { sharedMemory: '8Gi' } }, { flags: { '--tensor-parallel-size': '4' } }],
    ['ram-node-full', 5, { service: { node: undefined } as never }, { service: { memory: '128Gi' } }],
    ['ram-compilers', 5, { env: { MAX_JOBS: '4' } }, { env: { MAX_JOBS: '20' } }],
    ['ram-compilers', 5, { service: { memory: '24Gi' } }, { service: { memory: '12Gi' } }],
  ])('%s', (name, minutes, remedy, wrong) => {
    const scenario = findScenario(name);
    // What a rollout of the history added.
    const since = name === 'vllm-gpu-leak' ? { flags: { '--enable-lora': '' } } : {};

    const dies = /^(?:Error|OOMKilled)$/;
    expect(runEngine(scenario, minutes, since).end).toMatch(dies);
    expect(runEngine(scenario, minutes, remedy)).toMatchObject({ end: undefined, finished: expect.toSatisfy(isSome) });
    expect(runEngine(scenario, minutes, wrong).end).toMatch(dies);
  });

  it('a prefix cache that never frees its blocks stops all requests, more sequences do not help, and without it they go on', () => {
    const scenario = findScenario('vllm-prefix-cache');

    const changes: Flags[] = [{}, { '--max-num-seqs': '256' }, { '--no-enable-prefix-caching': '' }];
    const [held, more, without] = changes.map((flags) => runEngine(scenario, 40, { flags }));

    expect(held?.end).toBe('Error');
    expect(more?.end).toBe('Error');
    expect(without).toMatchObject({ end: undefined });
    expect(without?.finished).toBeGreaterThan(2 * (held?.finished ?? 0));
  });
});
