import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import type { Course } from '../../../src/facts/text/course.ts';
import { readCourses } from '../../../src/facts/text/courses.ts';
import { GIB } from '../../../src/model/quantity.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

function read(text: string): readonly Course[] {
  const lines = text
    .split('\n')
    .map((line, at) => ({ kind: 'line' as const, file: 'metrics.txt', line: at + 1, text: line }));
  return readCourses(lines.filter(({ text: own }) => own !== ''));
}

const gib = ({ points }: Course) => points.map(({ value }) => Math.round((value / GIB) * 10) / 10);

describe('a course that people keep', () => {
  it.each([
    [
      'rows that count, with units',
      'Iteration: 0  rss 4.5 GB\nIteration: 500  rss 6.1 GB\nIteration: 1000  rss 8 GB\n',
      [4.5, 6.1, 8],
    ],
    [
      'after hours, below a heading',
      'kubectl top pod\n after ready  11 GiB\n after 2 h  19 GiB\n after 5 h  33 GiB\n',
      [11, 19, 33],
    ],
    [
      'hours that are added up',
      'container memory, GiB (limit 1400)\ntime   memory\n+0h    612\n+3h    803\n+12h30m  1181\n',
      [612, 803, 1181],
    ],
    [
      'a frame, counted by what was served',
      '| requests | engine RSS (GiB) |\n|---|---|\n| 0 | 4.2 |\n| 1,200 | 9.1 |\n| 2.4k | 14 |\n',
      [4.2, 9.1, 14],
    ],
    [
      'counted by what was sent',
      'server RES (htop)\nprompts sent    RES\n0    5.1 GB\n5000    5.7 GB\n20000    7.6 GB\n',
      [5.1, 5.7, 7.6],
    ],
    [
      'of what a process keeps and swapped',
      'requests served   RssAnon+VmSwap\n0    0.3 GiB\n200    1.7 GiB\n400    3.1 GiB\n',
      [0.3, 1.7, 3.1],
    ],
    ['over midnight', 'host memory, GB\n20:00  31\n01:00  36\n06:00  41\n', [31, 36, 41]],
    [
      'in one line',
      '# container RSS: day 1 12.1 GiB -> day 2 29.8 -> day 3 41.9 -> day 4 43.2 (limit 96Gi)\n',
      [12.1, 29.8, 41.9, 43.2],
    ],
    ['in one line, behind its name', 'RSS after each of four runs: 6.1, 7.4, 8.8, 10.2 GiB\n', [6.1, 7.4, 8.8, 10.2]],
    [
      'below a remark that heads it',
      '# RSS of the engine process (GB), 0.6 req/s\nt=0h   11.2\nt=6h   18.9\nt=12h  27.4\n',
      [11.2, 18.9, 27.4],
    ],
    ['below a csv heading', 'cycle,rss_mb\n0,4608\n1,6246\n2,8192\n', [4.5, 6.1, 8]],
    [
      'of a share of what there is',
      'htop, RES\nday 1  4.1 of 251 GB\nday 2  5.2 of 251 GB\nday 3  6 GB\n',
      [4.1, 5.2, 6],
    ],
    [
      'counted on in bare numbers',
      'RSS, GB\nstart   4.1\n500 requests   4.6\n1000   5.1\n2000   6\n',
      [4.1, 4.6, 5.1, 6],
    ],
    ['with a unit in its first row', 'RSS\nday 0, at noon   4.1 GiB\nday 1, evening   5\nday 2   6.2\n', [4.1, 5, 6.2]],
    [
      'below a heading that leaves its first column blank',
      'requests   node0 used   (GiB)\n+1 h   740   118.4\n+4 h   2990   119.1\n+9 h   6610   120.3\n',
      [118.4, 119.1, 120.3],
    ],
    [
      'in a sentence',
      '# container memory: 5.4 GB after start, 9 GB after 300 requests, 16.7 GB after 1,100\n',
      [5.4, 9, 16.7],
    ],
  ])('is read: %s', (_, text, sizes) => {
    expect(read(text).map(({ memory }) => memory)).toEqual(['host']);
    expect(read(text).map(gib)).toEqual([sizes]);
  });

  it('goes on below a break under the name that headed it', () => {
    const text =
      'router container_memory_working_set_bytes\n00:00   310 MiB\n00:40   1.0 GiB\n01:20   1.7 GiB\n01:37   (restart)\n# limit 16Gi, next day\n00:00   318 MiB\n06:00   7.4 GiB\n12:00   14.6 GiB\n';

    expect(read(text).map(({ memory }) => memory)).toEqual(['host', 'host']);
  });

  it.each([
    ['a numbered card', 'gpu1 used, GiB\n11-07 133.4\n11-08 134.8\n11-09 136.0\n'],
    [
      'the same prompt each time',
      'nvidia-smi memory.used, GiB, after each of the same test prompt\nrun 1  20.5\nrun 2  21.1\nrun 4  22.3\n',
    ],
  ])('is of the device: %s', (_, text) => {
    expect(read(text).map(({ memory }) => memory)).toEqual(['gpu']);
  });

  it('is of the device where its column says so', () => {
    const [course] = read(
      'date          memory.used [MiB]\n02-06 10:00   40960\n02-06 18:00   41984\n02-07 09:00   43008  (46068 total)\n',
    );

    expect(course).toMatchObject({ memory: 'gpu', kind: 'time', unit: 'bytes' });
    expect(course && gib(course)).toEqual([40, 41, 42]);
  });

  it('has a share where its figures are percent', () => {
    const [course] = read(
      'Iteration: 0  cpu 9%  mem 17%\nIteration: 5  cpu 12%  mem 19%\nIteration: 10  cpu 11%  mem 21%\n',
    );

    expect(course).toMatchObject({ memory: 'host', unit: 'share', kind: 'count' });
    expect(course?.points.map(({ value }) => value)).toEqual([0.17, 0.19, 0.21]);
  });

  it.each([
    ['a total that a card has', 'pictures   memory used (MiB)\n0   35104\n200   37290\n780   48760 / 49140\n'],
    ['what is left of it', 'DCGM_FI_DEV_FB_FREE (MB)\n00:00   1960\n04:00   1288\n08:00   402\n'],
    ['the memory of the cards', 'memory of both cards, GB\nday 1   9.8\nday 2   14\nday 4   24\n'],
  ])('is of the device, for %s', (_, text) => {
    expect(read(text).map(({ memory }) => memory)).toEqual(['gpu']);
  });

  it('tells what is left where its heading says so', () => {
    const left = (text: string) => read(text).map((course) => course.left);

    expect(left('DCGM_FI_DEV_FB_FREE (MB)\n00:00   1960\n04:00   1288\n08:00   402\n')).toEqual([true]);
    expect(left('used, by free -g (GB)\nnode memory\n00:00   19\n04:00   28\n08:00   40\n')).toEqual([false]);
  });

  it('is read from a table with a column for each time', () => {
    const table =
      'process   day 1   day 3   day 5\nworker 0   6.1 GiB   14.4 GiB   21.9 GiB\napi server   1.9 GiB   2.0 GiB   2.0 GiB\n';

    expect(read(table).map(gib)).toEqual([
      [6.1, 14.4, 21.9],
      [1.9, 2, 2],
    ]);
    expect(read(table.replaceAll(/day (\d)/g, 'model $1'))).toEqual([]);
    expect(read(table.replace('process', 'cache'))).toEqual([]);
  });

  it.each([
    ['one reading', 'rss\nrun 1  4 GB\n'],
    ['figures of a cache', 'run 1  KV cache 4 GB\nrun 2  KV cache 6 GB\nrun 3  KV cache 8 GB\n'],
    ['limits that were tried', 'We raised the memory of the pod: 32Gi -> 48Gi -> 64Gi -> 96Gi, same end.\n'],
    ['sizes that are needed', 'Memory needed by model: 7B / 13B\nRAM: 16 GB / 32 GB / 64 GB / 140 GB\n'],
    ['a cache that fills', 'host memory, hicache on, GiB\nday 0  10\nday 1  20\nday 2  30\n'],
    ['experiments', 'batch  RSS (GiB)\n1   6.2\n8   21.9\n16   37.1\n'],
    ['a setting that was varied', '--cpu-offload-gb   RSS (GiB)\n0   6.2\n8   21.9\n16   37.1\n'],
    ['no unit', 'run 1  memory 4\nrun 2  memory 6\nrun 3  memory 8\n'],
    ['rows of different names', 'run 1  rss 4 GB\nrun 2  shm 6 GB\nrun 3  rss 8 GB\n'],
    ['neither memory named', 'run 1  used 4 GB\nrun 2  used 6 GB\nrun 3  used 8 GB\n'],
  ])('is none: %s', (_, text) => {
    expect(read(text)).toEqual([]);
  });
});

async function verdictOf(files: Readonly<Record<string, string>>) {
  const source = aSnapshot({ 'previous.log': '# no line of the engine\n', ...files });
  const { diagnosis } = await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge });
  return diagnosis.verdict;
}

describe('a course that rises to its end', () => {
  const hours = (head: string, sizes: readonly (number | string)[]) =>
    `${head}\n${sizes.map((size, at) => `after ${at * 3} h  ${size}`).join('\n')}\n`;

  it.each([
    ['of RAM', hours('pod memory, GiB', [11, 19, 27, 33]), 'host'],
    [
      'of RAM that is left',
      hours('host memory available, GiB', [90, 71, 50, 31]).replace(/ {2}/g, '  available '),
      'host',
    ],
    ['of the device', hours('VRAM in use, GiB', [61, 64, 66, 70, 75]), 'gpu'],
    [
      'of two cards, until a restart that is told',
      'nvidia-smi memory.used, MiB\nMon  127812 / 127430\nTue  129206 / 128890\nWed  131540 / 131008\nThu  134002 / 133514   (restart)\nFri  127820 / 127434\n',
      'gpu',
    ],
    ['until a restart', hours('container memory, GiB', [612, 803, 990, 1370, 0]), 'host'],
  ])('is a leak, certain of the memory alone: %s', async (_, text, plane) => {
    const found = await verdictOf({ 'metrics.txt': text });

    expect(found).toMatchObject({
      plane,
      phase: 'chronic',
      cause: `${plane}.chronic.leak`,
      certain: true,
      causeCertain: false,
    });
  });

  it.each([
    ['gpu', '# no log, two pictures of nvidia-smi'],
    ['gpu', '# the 4090 is full after a week'],
    ['host', '# RSS of the process'],
    ['unknown', '# requests all day'],
    ['unknown', '# both nvidia-smi and RSS were looked at'],
  ])('is of the memory that is named beside it: %s, %s', async (plane, remark) => {
    const text = 'day 0   9.8 GB\nday 1   14.1 GB\nday 2   17.7 GB\nday 4   24.0 GB\n';

    expect((await verdictOf({ 'metrics.txt': text, 'previous.log': `${remark}\n` })).plane).toBe(plane);
  });

  it.each([
    ['by a gibibyte, at each of four readings', [76.1, 76.6, 77.2, 77.9], true],
    ['by less, at each of four readings', [76.1, 76.3, 76.5, 76.8], false],
    ['by a gibibyte, with one that stayed', [76.1, 76.6, 76.6, 77.9], false],
  ])('is a small part of what is in use: %s', async (_, sizes, grows) => {
    const text = `VRAM in use, GiB\n${sizes.map((size, at) => `day ${at}   ${size}`).join('\n')}\n`;

    expect((await verdictOf({ 'metrics.txt': text })).cause === 'gpu.chronic.leak').toBe(grows);
  });

  it.each([
    ['gpu', 'free memory of the card went from 22 GB to 13 GB within an afternoon of requests'],
    ['gpu', 'memory of both cards goes up slowly from day to day'],
    ['gpu', '两张卡的显存每天都在上升，停止请求后不释放'],
    ['host', 'RSS went from 12 to 31 GiB over two days'],
    ['host', 'RAM used: 18 GB right after start, 120 GB two days later'],
    ['host', 'each request leaves about 30 MB behind in the server process'],
    ['host', 'after a week the pod is at 97 % of its 64Gi limit; after a restart 21 %'],
    ['host', 'container memory is a saw-tooth, a week up to the limit'],
    ['gpu', 'KV cache usage does not go back to 0 when no request runs'],
    ['gpu', '显存占用随请求数增长，从 60G 到 79G'],
    ['host', '内存从启动时的 20G 涨到三天后的 180G，重启后恢复'],
    ['host', 'with guided decoding RAM fills up and the server is gone after 100 calls'],
    ['host', '每轮压测后内存上升约 4G，停止请求后不下降'],
    ['unknown', 'RSS went from 31 to 12 GiB over two days'],
    ['unknown', 'memory limit changed from 32 GiB to 64 GiB two days ago'],
    ['unknown', 'memory went from 31 GiB to 32 GiB over two days'],
  ])('is told in words: %s, %s', async (plane, remark) => {
    const found = await verdictOf({ 'previous.log': `# ${remark}\n` });

    expect(found).toMatchObject({ plane, certain: false });
  });

  it.each([
    ['after a start and after much work', 'RSS after start: 9.8 GB\nRSS after 20000 requests: 31.4 GB\n', 'host'],
    ['of a card, days apart', 'GPU memory at start: 61 GB\nGPU memory after two days: 78 GB\n', 'gpu'],
    [
      'before and hours after, in columns',
      '| | before | after 1h | after 5h |\n| host RSS | 8 GB | 19 GB | 54 GB |\n',
      'host',
      true,
    ],
    [
      'of docker stats',
      '$ docker stats --no-stream   # every hour\nvllm  112.3%  24.1GiB / 125.6GiB  19.2%\nvllm  109.8%  41.7GiB / 125.6GiB  33.2%\nvllm  113.9%  77.2GiB / 125.6GiB  61.5%\n',
      'host',
    ],
    [
      'of free',
      '$ free -g   (start)\nMem:            503          41         462\n$ free -g   (36 h later)\nMem:            503         431          72\n',
      'host',
    ],
    [
      'of top',
      '# 09:00\n  23911 root      20   0  312.1g  11.2g   2.1g S  99.7   4.5   9:11.02 python3\n# 21:00\n  23911 root      20   0  361.9g  62.3g   2.1g S 101.3  24.9 731:40.55 python3\n',
      'host',
    ],
    [
      'of nvidia-smi',
      'Thu Feb  6 10:12:33 2025\n|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n| N/A   41C    P0              81W / 400W |  61321MiB / 81920MiB |      0%      Default |\nSat Feb  8 09:40:10 2025\n|   0  NVIDIA A100-SXM4-80GB          On  | 00000000:07:00.0 Off |                    0 |\n| N/A   43C    P0              83W / 400W |  79012MiB / 81920MiB |      0%      Default |\n',
      'gpu',
    ],
    [
      'of a monitor that logs',
      '2025-05-01 10:00:02 monitor INFO memory usage: 12.1 GB\n2025-05-01 16:00:02 monitor INFO memory usage: 25.8 GB\n2025-05-01 22:00:02 monitor INFO memory usage: 39.9 GB\n',
      'host',
    ],
  ])(
    'is read from two prints or more, and proved by three with their times and their memory: %s',
    async (_, text, plane, certain = false) => {
      expect(await verdictOf({ 'metrics.txt': text })).toMatchObject({ plane, phase: 'chronic', certain });
    },
  );

  it.each([
    ['RSS never climbed, flat for hours'],
    ['VRAM did not grow over 3 days'],
    ['GPU memory is not leaking, we looked for hours'],
    ['RSS at boot 5 GB, goes up to 9 GB with the first requests and stays'],
    ['container memory goes up to 30 GB in each load and falls'],
    ['bumped the pod from 16Gi to 32Gi of RAM two days ago'],
    ['Host memory increased by ops from 64 GiB to 128 GiB on the day before'],
    ['VRAM with v0.5.9 40 GB -> 44 GB with v0.5.10, both after 100 requests'],
    ['CUDA device errors: memory clock goes up each hour'],
    ['内存每天都稳定,没有升高'],
    ['显存使用率每次升级之后都一样'],
  ])('is not told in words: %s', async (remark) => {
    expect((await verdictOf({ 'previous.log': `# ${remark}\n` })).cause).not.toMatch(/leak/);
  });

  it.each([
    ['workers side by side', 'rss of the 4 workers: 10.1, 12.2, 14.5, 16.8 GiB\n'],
    ['replicas side by side', 'container memory of the four replicas\n14.1 / 14.4 / 15.0 / 16.2 GiB\n'],
    [
      'a request of more and more pages',
      'rss by pages of the pdf\npages  rss\n10  20.1 GiB\n40  28.0 GiB\n80  40.3 GiB\n',
    ],
    [
      'more and more load',
      'container_memory_rss, average by hour of day with requests/s\n08:00  20.1 GiB  4\n11:00  28.0 GiB  20\n17:00  56.0 GiB  90\n',
    ],
    [
      'others on the node',
      'node memory used, other pods came in all day\n08:00  200 GiB\n11:00  280 GiB\n17:00  480 GiB\n',
    ],
  ])('is no course of one process: %s', (_, text) => {
    expect(read(text)).toEqual([]);
  });

  it.each([
    ['two readings that are near', 'RSS after start: 9.8 GB\nRSS after 20000 requests: 11.4 GB\n'],
    ['few requests between them', 'RSS after start: 9.8 GB\nRSS after 10 requests: 31.4 GB\n'],
    ['minutes between them', 'RSS after start: 9.8 GB\nRSS after 10 min: 31.4 GB\n'],
    [
      'prints of a load, nobody says how far apart',
      'vllm  112.3%  24.1GiB / 125.6GiB  19.2%\nvllm  109.8%  41.7GiB / 125.6GiB  33.2%\nvllm  113.9%  77.2GiB / 125.6GiB  61.5%\n',
    ],
    ['a card before the pool and after it', 'GPU memory at start: 1 GB\nGPU memory after two days: 78 GB\n'],
  ])('is none of two prints or more: %s', async (_, text) => {
    expect((await verdictOf({ 'metrics.txt': text })).cause).not.toMatch(/leak/);
  });

  it('is one in remarks as well', async () => {
    const found = await verdictOf({ 'previous.log': '# RSS of the engine: 6 -> 9 -> 12 -> 15 GiB over four days\n' });

    expect(found).toMatchObject({ plane: 'host', cause: 'host.chronic.leak', certain: false });
  });

  it.each([134, 139, 143])('is none where it ended otherwise, with exit code %i', async (code) => {
    const found = await verdictOf({
      'metrics.txt': hours('pod memory, GiB', [11, 19, 27, 33]),
      'describe.txt': `    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    ${code}\n`,
    });

    expect(found.cause).not.toMatch(/leak/);
  });

  it.each([
    ['it comes to a rest', hours('pod memory, GiB', [11, 30, 33, 33.2])],
    ['it fell', hours('pod memory, GiB', [11, 30, 22, 33])],
    ['it is what any work takes', hours('pod memory, GiB', [11, 11.1, 11.2, 11.3])],
    ['it is minutes, as in a start', hours('pod memory, GiB', [11, 30, 42]).replaceAll(' h ', ' min ')],
  ])('is none where %s', async (_, text) => {
    expect((await verdictOf({ 'metrics.txt': text })).cause).not.toMatch(/leak/);
  });
});

describe('a course that comes to a rest', () => {
  const days = (sizes: readonly number[]) =>
    `ps -o rss -p $(pidof tritonserver)   (KiB)\n${sizes.map((gibs, at) => `day ${at}   ${gibs * 1024 ** 2}`).join('\n')}\n`;
  const noted = '# container RSS: day 1 12.1 GiB -> day 2 29.8 -> day 3 43.2 -> day 4 43.2 -> day 5 43.3\n';

  it.each([
    ['rows of days', { 'metrics.txt': days([4.8, 10.9, 10.9, 11]) }],
    ['a line of remarks', { 'previous.log': noted }],
  ])('is no leak, for a guess: %s', async (_, files) => {
    expect(await verdictOf(files)).toMatchObject({ plane: 'none', cause: 'none.other', certain: false });
  });

  it('outweighs the words that call it a leak', async () => {
    const found = await verdictOf({ 'previous.log': `# memory keeps growing, it seems to leak\n${noted}` });

    expect(found).toMatchObject({ plane: 'none', cause: 'none.other', certain: false });
  });

  it.each([
    ['it rose to the end', { 'metrics.txt': days([4.8, 7, 9, 11]) }],
    ['two readings are all that holds', { 'metrics.txt': days([4.8, 7, 11, 11]) }],
    ['it never rose', { 'metrics.txt': days([11, 11, 11, 11]) }],
    ['it holds for a part of the time', { 'metrics.txt': days([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 11, 11]) }],
    ['all of it is minutes', { 'metrics.txt': days([4.8, 10.9, 10.9, 11]).replaceAll(/day (\d)/g, '10:0$1') }],
    ['another memory goes on', { 'metrics.txt': days([4.8, 7, 9, 11]), 'previous.log': noted }],
    [
      'the container was killed',
      { 'metrics.txt': days([4.8, 10.9, 10.9, 11]), 'describe.txt': 'Last State:  Terminated\n  Exit Code:  137\n' },
    ],
  ])('tells nothing of the kind where %s', async (_, files) => {
    expect((await verdictOf(files)).plane).not.toBe('none');
  });
});

describe('what free prints', () => {
  it('is not read without units: a node with room would look empty', async () => {
    const bare =
      '               total        used        free      shared  buff/cache   available\nMem:          515432      304120        9120         210      202192      210345\n';

    expect((await verdictOf({ 'metrics.txt': bare })).cause).not.toBe('host.node-pressure');
  });

  const rows = (available: string) =>
    `               total        used        free      shared  buff/cache   available\nMem:            47Gi        45Gi       388Mi        14Mi       1.2Gi       ${available}\n`;

  it('is a node that was nearly out of memory', async () => {
    expect(await verdictOf({ 'metrics.txt': rows('910Mi') })).toMatchObject({
      plane: 'host',
      cause: 'host.node-pressure',
    });
    expect((await verdictOf({ 'metrics.txt': rows('20Gi') })).cause).not.toBe('host.node-pressure');
  });
});
