import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function grown(metrics: string): Promise<'gpu' | 'host' | undefined> {
  const { facts } = await diagnoseSource(aSnapshot({ 'metrics.txt': metrics }), { phrases: COMPILED_PHRASES, judge });
  const isKnown = (id: string) => {
    const fact = facts.get(id);
    return fact?.kind === 'known' && fact.value === true;
  };
  if (isKnown('gpu.growth-noted')) return 'gpu';
  return isKnown('ram.growth-noted') ? 'host' : undefined;
}

describe('a table of a memory that grows', () => {
  it.each([
    [
      'of what is left, down to the row that tells the end',
      'gpu',
      'time after start   free per card (GB, 8 cards, lowest)\n0 min   18.4\n10 min   13.9\n30 min   6.1\n55 min   1.2\n62 min   out of memory\n',
    ],
    [
      'in a column of minutes',
      'gpu',
      '# one prompt, the same each time\nt (min)   VRAM used\n0    61.2 GiB\n15   64.0 GiB\n30   66.9 GiB\n45   69.8 GiB\n75   CUDA OOM\n',
    ],
    [
      'beside a count that goes along with the rounds',
      'host',
      'round   prompts   RSS EngineCore\n1    2000   3.61 GiB\n10   20000   4.74 GiB\n20   40000   6.02 GiB\n40   80000   8.53 GiB\n',
    ],
    ['in a line of steps', 'host', 'system memory: step 1 31 %, step 20 52 %, step 45 78 %, step 63 97 %\n'],
    [
      'in a line of shares, the step behind each',
      'host',
      'node RAM: 31 % at step 1, 52 % at step 20, 78 % at step 45\n',
    ],
    ['by the clock', 'host', '10:00  RSS 21 GB\n10:20  RSS 33 GB\n10:40  RSS 39 GB\n10:55  RSS 41 GB\n11:14  killed\n'],
    [
      'beside a cache that holds little of it',
      'gpu',
      'hour   metal active   cache.entry_count   cache.memory   hits\n0   61 GB   0   0 GB   0\n3   104 GB   152   5.1 GB   0\n6   139 GB   287   9.8 GB   0\n',
    ],
    [
      'beside a cache that is level',
      'host',
      '| day | RSS (GB) | LMCache used (GB) |\n| 1 | 20.1 | 9.8 |\n| 2 | 41.0 | 10.0 |\n| 3 | 62.3 | 10.0 |\n',
    ],
    [
      'beside a pool in use, by shares',
      'gpu',
      'time   VRAM used   kv cache usage\n08:00   61.0 GiB   12 %\n12:00   66.4 GiB   14 %\n16:00   71.9 GiB   11 %\n',
    ],
    [
      'at so many users all the time',
      'gpu',
      'minutes   users   VRAM used\n0   8   61 GB\n60   8   66 GB\n120   8   71 GB\n200   8   77 GB\n',
    ],
    [
      'at nearly the same load',
      'host',
      'hour   requests/s   RSS\n1   4.1   11 GB\n3   4.4   21 GB\n6   3.9   31 GB\n8   4.2   41 GB\n',
    ],
    [
      'below how the engine was set, while a batch job calls it',
      'gpu',
      '# gpu-memory-utilization 0.9, sampled while a batch job calls it\n2025-02-03 10:00  71848MiB / 81920MiB\n2025-02-03 16:00  73012MiB / 81920MiB\n2025-02-04 10:00  76390MiB / 81920MiB\n2025-02-05 10:00  79666MiB / 81920MiB\n',
    ],
    [
      'as ps lists what names itself, with the hours behind',
      'host',
      '  PID     RSS COMMAND\n 2214 4718320 VLLM::EngineCore     (start)\n 2214 6902144 VLLM::EngineCore     (+1 h)\n 2214 9120768 VLLM::EngineCore     (+2 h)\n 2214 13544120 VLLM::EngineCore    (+4 h)\n',
    ],
    ['at one load', 'gpu', '# GPU memory, 8 clients\nday 1   61.2 GB\nday 2   65.0 GB\nday 3   69.1 GB\n'],
    [
      'with digits in groups',
      'gpu',
      '# nvidia-smi, one picture per request, 4 clients\nafter start      40 118 MiB\nafter  1 000     41 530 MiB\nafter  4 000     44 262 MiB\nafter  7 500     47 390 MiB\n',
    ],
    [
      'with digits in groups and a unit in its head',
      'gpu',
      'requests   GPU memory (MiB)\n1 000    40 118\n5 000    42 530\n20 000   51 390\n',
    ],
    [
      'with other signs between the groups',
      'host',
      "after 1'000 requests   RSS 12_118 MB\nafter 5'000 requests   RSS 18_530 MB\nafter 10'000 requests   RSS 29_262 MB\n",
    ],
    [
      'with a blank between all of it',
      'host',
      'after 1 000 requests RSS 12 118 MB\nafter 5 000 requests RSS 18 530 MB\nafter 10 000 requests RSS 29 262 MB\n',
    ],
    [
      'as kubectl prints it once a day',
      'host',
      '# kubectl top pod, daily\nNAME   CPU(cores)   MEMORY(bytes)\nvllm-0   1412m   9127Mi\nvllm-0   1399m   15164Mi\nvllm-0   1420m   21201Mi\n',
    ],
  ] as const)('%s', async (_, memory, text) => {
    expect(await grown(text)).toBe(memory);
  });

  it.each([
    [
      'the load rises along',
      'minutes   users   VRAM used\n0   1   61 GB\n60   4   66 GB\n120   8   71 GB\n200   16   77 GB\n',
    ],
    [
      'more and more requests run',
      'time   running   VRAM used\n10:00   4   61 GB\n12:00   16   66 GB\n14:00   64   77 GB\n',
    ],
    ['the rows are of sizes', 'image side   GPU memory used\n512   40 118 MiB\n1024   44 530 MiB\n2048   51 390 MiB\n'],
    [
      'shards are loaded',
      'step   loaded shards   GPU used\n1   10   12 000 MiB\n2   20   24 000 MiB\n3   30   36 000 MiB\n',
    ],
    ['the rows are of loads', 'clients   GPU memory\n1   61.2 GB\n8   65.0 GB\n16   69.1 GB\n'],
    [
      'a heading names several loads',
      '# GPU memory, 1 client, 8 clients\nday 1   61.2 GB\nday 2   65.0 GB\nday 3   69.1 GB\n',
    ],
    [
      'what grew is the cache',
      'hour   RSS     cache size\n0   11 GB   0 GB\n2   31 GB   20 GB\n4   51 GB   40 GB\n6   71 GB   60 GB\n',
    ],
    [
      'the cache has filled, be it without a size',
      'hour   RSS     cache entries\n0   11 GB   10\n2   31 GB   200\n4   51 GB   400\n6   71 GB   600\n',
    ],
    [
      'it is a load that took minutes and failed',
      'time after start   RAM used\n0 min   4 GB\n3 min   60 GB\n6 min   121 GB\n9 min   180 GB\n10 min   killed\n',
    ],
    [
      'it is a start in a column of seconds',
      'seconds   GPU used\n0   1.2 GB\n30   22.0 GB\n60   41.9 GB\n90   63.1 GB\n',
    ],
    [
      'the rows are of pods',
      '# kubectl top pod, daily\nNAME   CPU(cores)   MEMORY(bytes)\nvllm-0   1412m   9127Mi\nvllm-1   1399m   15164Mi\nvllm-2   1420m   21201Mi\n',
    ],
    [
      'what is left halves and nothing tells of an end',
      'time   GPU memory free (GB)\n0 min   18.4\n20 min   16.9\n40 min   15.1\n62 min   13.2\n',
    ],
  ])('is none where %s', async (_, text) => {
    expect(await grown(text)).toBeUndefined();
  });
});

describe('a card that fills from request to request', () => {
  const failed =
    'INFO:     Uvicorn running on http://0.0.0.0:8000\ntorch.OutOfMemoryError: CUDA out of memory. Tried to allocate 76.00 MiB. GPU 0 has a total capacity of 47.50 GiB of which 41.06 MiB is free. Of the allocated memory 45.72 GiB is allocated by PyTorch, and 388.41 MiB is reserved by PyTorch but unallocated.\n';
  const files = (metrics: string) => ({
    'previous.log': failed,
    'metrics.txt': metrics,
    'incident.json': '{"uptime":"hours"}',
  });

  it.each([
    [
      'one load',
      '# nvidia-smi, 4 clients\nafter start   40 118 MiB\nafter 1 000   41 530 MiB\nafter 7 500   47 390 MiB\n',
      'chronic',
    ],
    [
      'loads that were tried',
      '# nvidia-smi\nclients   used\n1   40 118 MiB\n4   41 530 MiB\n16   47 390 MiB\n',
      'burst',
    ],
  ])('explains the line that failed: %s', async (_, metrics, phase) => {
    const { diagnosis } = await diagnoseSource(aSnapshot(files(metrics)), { phrases: COMPILED_PHRASES, judge });

    expect(diagnosis.verdict).toMatchObject({ plane: 'gpu', phase, certain: true });
  });
});

describe('a size that is met at an age', () => {
  const judged = async (note: string) =>
    (await diagnoseSource(aSnapshot({ 'previous.log': `# ${note}\n` }), { phrases: COMPILED_PHRASES, judge }))
      .diagnosis;

  it.each([['after 30 hours 78 GiB of VRAM, and then CUDA OOM', 'gpu']])(
    'is a growth, and a guess: %s',
    async (note, plane) => {
      expect((await judged(note)).verdict).toMatchObject({ plane, phase: 'chronic', certain: false });
    },
  );

  it('is none where nothing ends', async () => {
    expect((await judged('after 6 days: 40 GiB of checkpoints on the disk')).verdict.phase).not.toBe('chronic');
  });
});
