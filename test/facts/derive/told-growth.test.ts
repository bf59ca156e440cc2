import { describe, expect, it } from 'vitest';
import { readToldGrowth } from '../../../src/facts/derive/growth/told-growth.ts';

const planesOf = (...lines: readonly string[]) =>
  readToldGrowth(
    lines.map((text, i) => ({ text, from: { kind: 'line', file: 'previous.log', line: i + 1, text } })),
  ).map(({ family }) => family.plane);

describe('a growth that people tell', () => {
  it.each([
    // Two sizes and what lay between them.
    ['RSS 8 GB after start and 61 GB after two days', 'host'],
    ['the api server held 3.1 GB of RAM on Monday morning, 19 GB now, four days later', 'host'],
    ['RAM 31 GB by the evening, right after the launch it was 9 GB', 'host'],
    ['the daemon needs 2 GB at start and all 96 GB a day later', 'host'],
    ['VmSwap 0.6 GB -> 4.1 GB -> 12 GB over one working day', 'host'],
    ['memory of both nodes increased by 700 MB in five hours', 'host'],
    ['system RAM: free 41 GB at start, 6 GB left the next morning', 'host'],
    ['nvidia-smi 66 GB after start, 68 GB next morning, 71 GB on the third day', 'gpu'],
    ['显存从 61G 到 74G，跑了一周', 'gpu'],
    ['内存从启动时的 6G 涨到第三天的 57G，显存没有变化', 'host'],
    ['after some hours in use the GPU memory in use gets larger and larger, in the end the service crashes', 'gpu'],
    ['memory grows with each of these requests, then out-of-memory errors', 'gpu'],
    // So much for each piece of work or hour.
    ['RAM climbs 1.4 GB an hour at 3 req/s', 'host'],
    ['each picture leaves about 18 MB on the card', 'gpu'],
    ['about 0.2 % of RAM is lost for every 1000 prompts', 'host'],
    ['+9 MiB of VRAM on every request', 'gpu'],
    ['每处理1000条请求内存增加约2GB', 'host'],
    ['after each unload 300 MiB more remain on the GPU', 'gpu'],
    // Ends at one age.
    ['OOMs about every 7 hours under constant load', 'host'],
    ['CUDA out of memory once a day, a restart cures it until the next', 'gpu'],
    ['nightly restart by cron, otherwise the pod hits its memory limit', 'host'],
    ['16G lives 5 h, 32G lives 11 h', 'host'],
    ['it takes some 70,000 requests and the server is OOM-killed', 'host'],
    ['after about 50-ish prompts of the test set it is OOM-killed', 'host'],
    ['after some time the container gets OOMKilled', 'host'],
    ['the process is eventually killed by the OOM killer', 'host'],
    ['the pod dies after a few hours with out of memory', 'host'],
    ['多轮对话时内存会一直增长不会释放', 'host'],
    ['process RSS stays high and CPU memory does not return; repeated cycles cause further RSS spikes', 'host'],
    // What programs that look for leaks found.
    ['memray: 4.2 GiB not freed after ten minutes of traffic', 'host'],
    ['with jemalloc by LD_PRELOAD it stays flat', 'host'],
    ['memory snapshot: 40k small segments, none freed', 'gpu'],
    ['alert: predict_linear says the pod is full in six hours', 'host'],
    // As the one who files it lists figures.
    ['device memory after 6 days: 18 GB more', 'gpu'],
    ['RSS of the worker at 1 h: 12 GB, at 24 h: 41 GB', 'host'],
    ['anon: 3.1 GiB (day 1), 22.8 GiB (day 5)', 'host'],
    ['restart interval: about every 1.5 days, at the memory limit', 'host'],
    ['uptime before each OOM kill: 31 h, 29 h, 33 h', 'host'],
    ['RSS slope: 0.9 MB/s under load', 'host'],
    ['CPU memory: +300 MB for each weight update, not released', 'host'],
    ['free -h: available 110Gi at boot, 9Gi after four days', 'host'],
    // Words alone.
    ['host RAM grows without bound while prefix caching is on', 'host'],
    ['VRAM only ever goes up', 'gpu'],
    ['image inference: RAM use grows to more than 200 GB', 'host'],
    ['the memory jumps at each step, and what was added is not released', 'host'],
    ['with the other engine memory also grows', 'host'],
    ['Grafana: container_memory_rss is a saw tooth of a day', 'host'],
    ['peak RSS 12G in a run of 200 requests, and stays there after all requests completed', 'host'],
    ['显存只增不减', 'gpu'],
    ['VRAM takes 20GB at the beginning, then gradually goes to 56GB', 'gpu'],
    ['调用完后内存（RAM）不自动清理，再次调用后killed', 'host'],
  ])('is read: %s', (text, plane) => {
    expect(planesOf(text)).toEqual([plane]);
  });

  it.each([
    ['a start', 'RAM 4 -> 118 GB in ninety seconds while the shards load'],
    ['a load, in words', 'the working set climbs in a straight line to 64 GiB during load'],
    ['a minute of one request', 'API server: RSS 2 -> 26 GiB in 90 s with each large schema'],
    ['pages that free counts', 'RAM "leak": used 18 GB, buff/cache 231 GB after a week'],
    ['a rest', 'RSS rose from 3 to 14 GB in the first hour and then stayed there for days'],
    ['a level', 'RSS 9 GB on day one, flat'],
    ['what was raised', 'raised the memory limit from 32 GB to 64 GB after two days'],
    ['sizes of prompts', 'VRAM 18 GB for 2k prompts, 21 GB for 16k, 29 GB for 64k'],
    ['versions', '0.7.3 took 20 GB of RAM, 0.8.2 takes 28 GB for the same requests'],
    ['a disk', 'the disk grew from 12 to 190 GB in a week'],
    ['a cache within its bound', 'RSS goes up 17 MB per request until 8 GB, then level'],
    ['one request', 'GPU memory jumps from 70 to 80 GB within that request, after weeks'],
    ['a load of a size', 'RAM use grows to more than 200 GB'],
    [
      'the sizes of one refusal',
      'Request failed during generation: CUDA out of memory. Tried to allocate 16.00 MiB (GPU 0; 22.20 GiB total capacity; 20.75 GiB already allocated; 5.12 MiB free; 20.86 GiB reserved in total by PyTorch)',
    ],
    ['a card and what was on it', 'an A800 with 80 GB of VRAM, 4 MiB in use hours before'],
    ['a step', 'after two hours RAM jumps from 12 GB to 40 GB'],
    ['a leak that is over', 'the memory leak of the last release is gone, 72 h at 6 GB'],
    ['a question', 'title says "leak?", one screenshot of memory'],
    ['speed', 'memory bandwidth rises to 2 GB/s with each request'],
    ['a part of the same reading', 'runner RSS after 21 h: 8.3 GB (RssAnon 7.4 GB)'],
    ['figures without a name', '13.0 G after loading, 15.5 G after the following calls'],
    ['pages of files', 'memory usage rises with each load, dropping caches brings it back'],
  ])('is not made of %s', (_, text) => {
    expect(planesOf(text)).toEqual([]);
  });

  it('is of the memory that the other notes name, where its own line names none', () => {
    expect(planesOf('nvidia-smi: 61 GB in use', 'memory usage keeps growing')).toEqual(['gpu']);
    expect(planesOf('RSS of the worker is 61 GB', 'memory usage keeps growing')).toEqual(['host']);
  });
});

describe('a growth while many large requests are in flight', () => {
  const causesOf = (text: string) =>
    readToldGrowth([{ text, from: { kind: 'line', file: 'previous.log', line: 1, text } }]).map(
      ({ family }) => family.serving,
    );

  it.each([
    [
      'free RAM at start of the test 690 GB, after 9 minutes of image requests (concurrency 400, 3 images each) about 6 GB',
      'host.burst.payload',
    ],
    ['with 64 videos in parallel RAM climbs from 40 GB to 500 GB', 'host.burst.payload'],
    ['RAM climbs from 40 GB to 500 GB in three days, 4 pictures at a time', 'host.chronic.leak'],
    ['RSS 8 GB after start and 61 GB after two days', 'host.chronic.leak'],
  ])('%s', (text, cause) => {
    expect(causesOf(text)).toEqual([cause]);
  });
});

describe('a growth of a memory that nobody names', () => {
  const planeOf = (text: string, atWork?: 'gpu') =>
    readToldGrowth([{ text, from: { kind: 'line', file: 'previous.log', line: 1, text } }], atWork).map(
      ({ family }) => family.plane,
    );

  it('is that of what was at work, else RAM', () => {
    expect(planeOf('memory usage increases with each request')).toEqual(['host']);
    expect(planeOf('memory usage increases with each request', 'gpu')).toEqual(['gpu']);
    expect(planeOf('RSS increases with each request', 'gpu')).toEqual(['host']);
  });
});

describe('a growth that falls back', () => {
  const causesOf = (...lines: readonly string[]) =>
    readToldGrowth(
      lines.map((text, i) => ({ text, from: { kind: 'line', file: 'previous.log', line: i + 1, text } })),
    ).map(({ family }) => family.serving);
  const DAILY = 'RAM of the pod grows every day until it is OOM killed';

  it('is of what is done then', () => {
    expect(causesOf(DAILY)).toEqual(['host.chronic.leak']);
    expect(causesOf(DAILY, 'level between the clean-ups')).toEqual(['host.burst.payload']);
  });
});

describe('a growth told in a note of its own', () => {
  it.each([
    ['GPU memory is a few gigabytes at first', 'gpu'],
    ['host memory is 4 GB after the start', 'host'],
  ])('is of the memory that the note before it names: %s', (before, plane) => {
    expect(planesOf(before, 'after hundreds of calls it has grown gradually to over 40GB')).toEqual([plane]);
  });

  it('is of the memory that it names itself', () => {
    expect(
      planesOf('GPU memory stands at 20 GB', 'over the days it has grown, the RAM of the pod, to 40GB'),
    ).not.toContain('gpu');
  });
});
