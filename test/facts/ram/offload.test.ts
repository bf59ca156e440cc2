import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, valueOfFact } from '../incident.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

const diagnosed = (files: Files, engine = 'sglang') => diagnoseFiles({ ...files, ...known({ engine }) });

const factOf = async (id: string, ...given: Parameters<typeof diagnosed>) =>
  valueOfFact((await diagnosed(...given)).facts, id);

const killed = (limit: string) =>
  `    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Limits:\n      memory:          ${limit}\n`;
const POOL = '[2026-03-02 08:20:12 TP0] Memory pool end. avail mem=11.70 GB\n';
const hicache = (ranks: number, gb: string) =>
  Array.from(
    { length: ranks },
    (_, rank) => `[2026-03-02 08:20:13 TP${rank}] Allocating ${gb} GB host memory for hierarchical KV cache.\n`,
  ).join('');

describe('memory of all ranks by the lines of each', () => {
  it.each([
    ['of two ranks', '', hicache(2, '50.00'), 100],
    ['of four ranks', '', hicache(4, '50.00'), 200],
    ['of ranks that the arguments tell, where one line is left', '--tp 4', hicache(1, '50.00'), 200],
    ['of one rank, told twice', '', hicache(1, '50.00').repeat(2), 50],
    ['of ranks of two groups', '', hicache(2, '50.00') + hicache(2, '50.00').replaceAll(' TP', ' DP1 TP'), 200],
    ['of a rank without a name', '', 'Allocating 50.00 GB host memory for hierarchical KV cache.\n', 50],
  ])('is the sum %s', async (_, args, log, gib) => {
    expect(await factOf('ram.offload-bytes', { 'args.txt': `${args}\n`, 'previous.log': log })).toBe(gib * GIB);
  });

  const creates = (head: string) =>
    `(${head}) [2025-06-07 20:33:02,562] LMCache INFO: Creating LMCacheEngine instance vllm-instance (cache_engine.py:783:lmcache.v1.cache_engine)\n`;
  const sized = (head: string) =>
    `(${head}) [2025-06-07 20:33:02,560] LMCache INFO: LMCache Configuration: {'chunk_size': 256, 'max_local_cpu_size': '300.0 GB', 'local_disk': None}\n`;
  const rank = (n: number) => `VllmWorker rank=${n} pid=${247 + n}`;

  it.each([
    ['each seen to make a cache of its own', [0, 1], 600],
    ['of numbers with a gap', [0, 3, 1], 1200],
    ['of a node that the first rank is not on', [9, 8], 600],
    ['of one that is alone', [0], 300],
  ])('where one of them prints the size: ranks %s', async (_, ranks, gib) => {
    const log = sized(rank(ranks[0] ?? 0)) + ranks.map((n) => creates(rank(n))).join('');

    expect(await factOf('ram.offload-bytes', { 'previous.log': log }, 'vllm')).toBe(gib * GIB);
  });

  it('is not what the start ran out by, where it fits twice', async () => {
    const files = { 'describe.txt': killed('500Gi'), 'previous.log': POOL + hicache(4, '50.00') };

    expect((await diagnosed(files)).diagnosis.verdict).toMatchObject({
      phase: 'startup',
      cause: 'host.startup.limit',
      causeCertain: true,
    });
  });
});

describe('what KAITO says above the banner of vLLM', () => {
  const banner = '(APIServer pid=1) INFO 03-02 08:20:13 [api_server.py:1839] vLLM API server version 0.11.0\n';
  const told = 'INFO:__main__:Offload KV cache to CPU RAM, size limit: 300.00 * 0.5 GB split among 2 GPUs\n';

  it('is what the run keeps in RAM', async () => {
    expect(
      (await diagnosed({ 'describe.txt': killed('64Gi'), 'previous.log': told + banner }, 'vllm')).facts.get(
        'ram.offload-bytes',
      ),
    ).toMatchObject({ value: 150 * GIB, from: [{ line: 1 }] });
  });

  it('is not known where it does not say it', async () => {
    expect(
      await factOf('ram.offload-bytes', { 'describe.txt': killed('64Gi'), 'previous.log': banner }, 'vllm'),
    ).toBeUndefined();
  });
});

describe('weights that vLLM leaves in RAM', () => {
  const line = (gib: string) =>
    `(Worker_TP0 pid=7) INFO 03-02 08:20:13 [uva.py:69] Total CPU offloaded parameters: ${gib}\n`;

  it.each([
    ['of one rank', '', line('40.5'), 40.5],
    ['of two ranks', '--tensor-parallel-size 2', line('40.5'), 81],
  ])('are in the line of each worker, %s', async (_, args, log, gib) => {
    const { facts } = await diagnosed({ 'args.txt': `vllm serve m ${args}\n`, 'previous.log': log }, 'vllm');

    expect(facts.get('ram.offload-bytes')).toMatchObject({ value: gib * GIB });
    expect(facts.get('ram.offload-static')).toMatchObject({ value: true });
  });

  it('are none to speak of below a gibibyte', async () => {
    expect(await factOf('ram.offload-configured', { 'previous.log': line('0.01') }, 'vllm')).toBeUndefined();
  });
});

const pool = (buffer: string, mib: number) =>
  `llama_kv_cache_unified:      ${buffer} KV buffer size = ${mib.toFixed(2)} MiB\n`;

it.each([
  ['beside its part on the card', pool('CUDA0', 4096) + pool('CPU', 20480), 20480],
  ['and small', pool('CUDA0', 4096) + pool('CPU', 4096), undefined],
  ['all of it, without a card', pool('CPU', 20480), undefined],
  ['nothing of it', pool('CUDA0', 20480), undefined],
])('a pool of llama.cpp that is partly in RAM is kept there %s', async (_, log, mib) => {
  expect(await factOf('ram.offload-bytes', { 'previous.log': log }, 'ollama')).toBe(
    mib === undefined ? undefined : mib * MIB,
  );
});

it.each([
  ['as large as V0 takes unasked', '--swap-space 4', 'unknown'],
  ['smaller', '-tp 4 --swap-space 2', 'unknown'],
  ['larger', '-tp 4 --swap-space 5', 'known'],
])('swap space: %s is an offload or is none', async (_, args, kind) => {
  const files = {
    'args.txt': `vllm serve m ${args}\n`,
    ...known({ engine: 'vllm', engine_version: '0.4.2' }),
  };

  expect((await diagnoseFiles(files)).facts.get('ram.offload-configured')?.kind).toBe(kind);
});

describe('a cache that nobody set', () => {
  const loaded = 'OLLAMA_MAX_LOADED_MODELS=3\n';
  const unset = 'LLAMA_ARG_CACHE_RAM unset (default 8192 MiB per runner)\n';

  it.each([
    ['that is off', `${loaded}LLAMA_ARG_CACHE_RAM=0 (default 8192 MiB per runner)\n`],
    ['of something else', 'LLAMA_ARG_CACHE_RAM is not set; the default batch is 2048\n'],
  ])('has no default: %s', async (_, args) => {
    const { facts } = await diagnosed({ 'args.txt': args, 'describe.txt': killed('6Gi') }, 'ollama');

    expect(valueOfFact(facts, 'ram.offload-bytes')).toBeUndefined();
  });

  it('is not certainly the cause where that lies far below the limit', async () => {
    const files = { 'args.txt': loaded + unset, 'describe.txt': killed('96Gi') };
    const all = { ...files, ...known({ engine: 'ollama', uptime: 'days' }) };

    expect((await diagnoseFiles(all)).diagnosis.verdict).toMatchObject({ cause: 'host.offload', causeCertain: false });
  });
});
