import { describe, expect, it } from 'vitest';
import { aPod, NOW } from '../../src/standins/api-server/objects/builders.ts';
import type { ContainerOptions } from '../../src/standins/api-server/objects/container-builder.ts';
import {
  aWorld,
  type ContainerLog,
  type LogLine,
  putObject,
  removeObject,
} from '../../src/standins/api-server/objects/world.ts';
import { vllmCudaOom } from '../../src/standins/scenarios/vllm-log.ts';
import { aReadContext } from '../fakes/read-context.ts';
import { aLog, anEdge, collectPod, gap } from './harness.ts';

const POD = 'vllm-0';
const startedAt = NOW - 3_600_000;
const finishedAt = NOW - 60_000;
const crashed: ContainerOptions = { waiting: 'CrashLoopBackOff', lastDeath: { startedAt, finishedAt } };
const OOM = vllmCudaOom(0).find(({ text }) => text.includes('CUDA out of memory'))?.text ?? '';

function aWorldWith(
  lines: ContainerLog['lines'] | undefined,
  container: ContainerOptions = crashed,
  over: Partial<ContainerLog> = {},
) {
  return aWorld({
    objects: [aPod({ name: POD, containers: [container] })],
    logs: lines === undefined ? [] : [aLog(POD, { lines, ...over })],
  });
}

/** `count` lines of `width` bytes, spread over the life of the instance; `special` takes the place of some. */
function chatter(
  count: number,
  width: number,
  special: Readonly<Record<number, string>> = {},
): () => Generator<LogLine> {
  const filler = 'x'.repeat(Math.max(0, width - 44));
  return function* () {
    for (let i = 0; i < count; i++) {
      const at = startedAt + Math.floor((i / count) * (finishedAt - startedAt));
      yield { at, text: special[i] ?? `line ${i} ${filler}` };
    }
  };
}

/** `count` lines of 100 bytes, each at its time. */
function everyLine(count: number, at: (i: number) => number): () => Generator<LogLine> {
  return function* () {
    for (let i = 0; i < count; i++) yield { at: at(i), text: `line ${i} ${'y'.repeat(90)}` };
  };
}

function lineNumbers(text: string): number[] {
  return [...text.matchAll(/^\S+ line (\d+) /gm)].map((match) => Number(match[1]));
}

async function read(world: ReturnType<typeof aWorldWith>, limits = {}) {
  const edge = await anEdge(world);
  const context = aReadContext({ limits });
  const evidence = await collectPod(edge, POD, { context });
  const [log] = evidence.logs;
  const text = log === undefined ? '' : (evidence.files[log.file] ?? '');
  return { edge, evidence, log, text, cost: context.budget.cost() };
}

describe('a log', () => {
  it('that fits into its beginning is kept whole, each line once', async () => {
    const { log, text, cost } = await read(aWorldWith(chatter(500, 100)));

    expect(lineNumbers(text)).toEqual(Array.from({ length: 500 }, (_, i) => i));
    const whole = { parts: ['whole'], cut: null, totalBytes: text.length };
    expect(log).toMatchObject({ file: 'previous.log', previous: true, ...whole });
    expect(text).not.toContain('#');
    expect(cost.logCalls).toBe(2);
  });

  it('that is a little longer than its beginning is joined without a gap or a double', async () => {
    const since = { ...crashed, lastDeath: { startedAt: finishedAt - 200_000, finishedAt } };
    const lines = everyLine(3000, (i) => finishedAt - 200_000 + i * 60);
    const { log, text } = await read(aWorldWith(lines, since));

    expect(lineNumbers(text)).toEqual(Array.from({ length: 3000 }, (_, i) => i));
    expect(log?.parts).toEqual(['whole']);
  });

  it('of 80 MB is read by its two ends, and once through only because neither names a cause', async () => {
    const special = { 6000: OOM };
    const before = process.memoryUsage().rss;

    const { log, text, cost, evidence } = await read(aWorldWith(chatter(10_000, 8192, special)));

    expect(text.includes(OOM)).toBe(true);
    const numbers = lineNumbers(text);
    expect(numbers[0]).toBe(0);
    expect(numbers.at(-1)).toBe(9_999);
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
    expect(text).toMatch(/^# \.\.\. \d+ bytes not kept \.\.\.$/m);
    expect(log?.parts).toEqual(['head', 'mid', 'crash']);
    expect(cost.logCalls).toBeLessThanOrEqual(4);
    expect(cost.bytes).toBeLessThan(66 * 1024 * 1024);
    expect(text.length).toBeLessThan(2 * 1024 * 1024);
    expect(evidence.notRead.filter(({ item }) => item.includes('log'))).toEqual([]);
    expect(process.memoryUsage().rss - before).toBeLessThan(300 * 1024 * 1024);
  });

  it('of 200 MB whose end names the cause costs its ends alone', async () => {
    const { text, cost, log } = await read(aWorldWith(chatter(25_000, 8192, { 24990: OOM })));

    expect(text.includes(OOM)).toBe(true);
    expect(lineNumbers(text).at(-1)).toBe(24_999);
    expect(cost.logCalls).toBe(3);
    expect(cost.bytes).toBeLessThan(9_000_000);
    expect(log?.cut).toContain('bytes in the middle were not kept');
  });

  it('keeps a cause that the last two minutes hold beyond what is kept of them', async () => {
    const burst = function* (): Generator<LogLine> {
      yield* chatter(4000, 100)();
      for (let i = 0; i < 20_000; i++) {
        yield { at: finishedAt - 100_000 + i, text: i === 500 ? OOM : `line ${4000 + i} ${'z'.repeat(100)}` };
      }
    };
    const { text, cost } = await read(aWorldWith(burst));

    expect(text.includes(OOM)).toBe(true);
    expect(lineNumbers(text).at(-1)).toBe(23_999);
    expect(cost.logCalls).toBe(2);
  });

  it('whose last two minutes are silent, or too full, is also read by its last lines', async () => {
    const quiet = await read(aWorldWith(everyLine(9000, (i) => finishedAt - 3_000_000 + i)));
    const full = await read(aWorldWith(everyLine(100_000, () => finishedAt - 90_000)));

    expect(lineNumbers(quiet.text).at(-1)).toBe(8999);
    expect(quiet.edge.standin.requests.map(({ query }) => query.tailLines)).toContain('2000');
    expect(lineNumbers(full.text).at(-1)).toBe(99_999);
    expect(full.cost.bytes).toBeLessThan(66 * 1024 * 1024);
  });

  it('keeps no part of a request line that is longer than what is kept of the log', async () => {
    const request = `Received request cmpl-1: prompt: '${'my rare illness '.repeat(45_000)}', params: x`;
    const lines = [...chatter(3000, 100)(), { at: finishedAt - 10, text: request }, { at: finishedAt, text: OOM }];

    const { text, evidence } = await read(aWorldWith(lines));
    const alone = await read(aWorldWith([{ at: finishedAt, text: request }]));

    expect(text).not.toContain('illness');
    expect(text.includes(OOM)).toBe(true);
    expect(evidence.notRead.filter(({ item }) => item.includes('log'))).toEqual([]);
    expect(alone.text).toBe('');
    expect(alone.evidence.notRead).toContainEqual(expect.objectContaining({ item: 'previous.log', reason: 'budget' }));
  });

  it('with one line of 5 MB ends in a clear answer', async () => {
    const lines = [
      { at: startedAt, text: 'line 0 start' },
      { at: finishedAt - 10, text: 'w'.repeat(5_000_000) },
      { at: finishedAt, text: OOM },
    ];

    const { text, cost } = await read(aWorldWith(lines));

    expect(text).toContain('line 0 start');
    expect(text.includes(OOM)).toBe(true);
    expect(text.length).toBeLessThan(2_000_000);
    expect(cost.bytes).toBeLessThan(12_000_000);
  });
});

describe('a log that cannot be read', () => {
  it('is gone, and the last words of the container stand in for it', async () => {
    const words = 'RuntimeError: CUDA error: out of memory';
    const { log, text, evidence } = await read(
      aWorldWith(undefined, { ...crashed, lastDeath: { startedAt, finishedAt, message: words } }),
    );

    expect(evidence.notRead).toContainEqual(gap('previous.log', 'gone', 'the node no longer has this log'));
    expect(log).toMatchObject({ parts: ['message'], readBytes: 0 });
    expect(text).toContain(`\n${words}\n`);
    expect(text.split('\n')[0]).toMatch(/^# /);
  });

  it.each([
    'failed to try resolving symlinks in path "/var/log/pods/x.log": no such file',
    'unable to retrieve container logs for containerd://abc',
  ])('because the kubelet failed after it had begun to answer: %s', async (failure) => {
    const nothing = await read(aWorldWith([], crashed, { failure }));
    const half = await read(aWorldWith([{ at: startedAt, text: 'line 0 start' }], crashed, { failure }));

    expect(nothing.evidence.files['previous.log']).toBeUndefined();
    expect(nothing.evidence.notRead).toContainEqual(gap('previous.log', 'gone', 'the node no longer has this log'));
    expect(half.text.trim()).toMatch(/line 0 start$/);
    expect(half.log?.cut).toContain('the kubelet failed');
  });

  it('because the pod went away meanwhile', async () => {
    const world = aWorldWith(chatter(10, 100));
    const edge = await anEdge(world);
    edge.standin.onRequest = ({ path }) => {
      if (path.endsWith('/log')) removeObject(world, { kind: 'Pod', name: POD });
    };

    const { notRead } = await collectPod(edge, POD);

    expect(notRead).toContainEqual(gap('previous.log', 'gone', 'the pod and its logs are gone'));
    expect(notRead.map(({ item }) => item)).toContain('second look at the pod');
  });

  it('to its end keeps what came before the stream broke off', async () => {
    const edge = await anEdge(aWorldWith(chatter(20_000, 200)));
    edge.standin.faults.on('sinceTime', { kind: 'cut', afterBytes: 20_000 });

    const { files, logs, notRead } = await collectPod(edge, POD);

    expect(lineNumbers(files['previous.log'] ?? '').length).toBeGreaterThan(1000);
    expect(logs[0]?.cut).toContain('its end was cut off');
    expect(notRead).toContainEqual(
      gap('rest of previous.log', 'unreachable', 'the stream was cut off; what came is kept'),
    );
  });

  it('within the time gives what came in it', async () => {
    const edge = await anEdge(aWorldWith(chatter(20_000, 200)));
    edge.standin.faults.on('sinceTime', { kind: 'slow', ms: 10_000 });

    const { files, logs, notRead } = await collectPod(edge, POD, {
      context: aReadContext({ signal: AbortSignal.timeout(600) }),
    });

    expect(lineNumbers(files['previous.log'] ?? '').length).toBeGreaterThan(1000);
    expect(logs[0]?.cut).toBe('only its start was read');
    expect(notRead).toContainEqual(gap('end of previous.log', 'deadline', 'the API server did not answer in time'));
  });
});

describe('a container that restarts while its log is read', () => {
  const standing: ContainerOptions = { ended: { startedAt, finishedAt, containerID: 'containerd://first' } };
  const after: ContainerOptions = {
    runningSince: finishedAt + 1000,
    restarts: 1,
    lastDeath: { startedAt, finishedAt, containerID: 'containerd://first' },
  };

  async function restarting(logsLeft: number) {
    const young = [{ at: finishedAt + 12_000, text: 'INFO line 1 of the new instance' }];
    const world = aWorldWith(young, standing, { instance: 'current' });
    world.logs.push(aLog(POD, { lines: [{ at: finishedAt - 1, text: OOM }] }));
    return collectPod(await edgeThatRestarts(world, after), POD, {
      context: aReadContext({ limits: { logCalls: logsLeft } }),
    });
  }

  async function edgeThatRestarts(world: ReturnType<typeof aWorldWith>, container: ContainerOptions) {
    const edge = await anEdge(world);
    edge.standin.onRequest = ({ path }) => {
      if (path.endsWith('/log')) putObject(world, aPod({ name: POD, containers: [container] }));
    };
    return edge;
  }

  it('has the log of the instance that died read again, with the status that goes with it', async () => {
    const { files, notRead, logs } = await restarting(6);

    expect(logs.map(({ file }) => file)).toEqual(['current.log']);
    expect(files['current.log']).toContain(OOM);
    expect(files['previous.log']).toBeUndefined();
    expect(JSON.parse(files['pod.json'] ?? '')).toMatchObject({
      status: { containerStatuses: [{ state: { terminated: { containerID: 'containerd://first' } } }] },
    });
    expect(notRead).toContainEqual(
      gap('first reading of current.log', 'gone', 'container vllm restarted while its log was read; it was read again'),
    );
  });

  it('keeps the log and the status of the instance before it', async () => {
    const ended = [
      { at: startedAt, text: 'start' },
      { at: finishedAt - 1, text: 'killed' },
    ];
    const before = { startedAt: startedAt - 900_000, finishedAt: startedAt - 1000, containerID: 'containerd://zeroth' };
    const world = aWorldWith(
      ended,
      { ...standing, restarts: 1, lastDeath: before },
      {
        instance: 'current',
      },
    );
    const own = { namespace: 'llm', pod: POD, container: 'vllm' };
    world.logs.push({
      ...own,
      instance: 'previous',
      lines: [
        { at: before.startedAt, text: 'start' },
        { at: before.finishedAt - 1, text: OOM },
      ],
    });
    const edge = await anEdge(world);
    edge.standin.onRequest = ({ path, query }) => {
      const logsRead = edge.standin.requests.filter((one) => one.path.endsWith('/log')).length;
      if (path.endsWith('/log') || logsRead < 4 || query.limit !== undefined) return;
      putObject(world, aPod({ name: POD, containers: [{ ...after, restarts: 2 }] }));
      world.logs.splice(0, 2, { ...own, instance: 'previous', lines: ended });
    };

    const { files } = await collectPod(edge, POD);

    expect(files['previous.log']).toContain(OOM);
    expect(files['current.log']).toContain('killed');
    expect(JSON.parse(files['pod.json'] ?? '').status.containerStatuses[0]).toMatchObject({
      state: { terminated: { containerID: 'containerd://first' } },
      lastState: { terminated: { containerID: 'containerd://zeroth' } },
    });
  });

  it('is said where no calls are left for that', async () => {
    const { files, notRead } = await restarting(2);

    expect(files['current.log']).toContain('new instance');
    expect(notRead).toContainEqual(
      gap('current.log', 'budget', 'container vllm restarted while its log was read; API call limit'),
    );
    expect(notRead).toContainEqual(
      gap(
        'log of the container that died (current.log)',
        'gone',
        'these lines are from a later container, not from the one that died',
      ),
    );
  });

  it('is no matter where only the restart is new and the instance the same', async () => {
    const world = aWorldWith(chatter(10, 100));
    const lastDeath = { startedAt, finishedAt, containerID: 'containerd://vllm-0' };

    const { notRead, files } = await collectPod(await edgeThatRestarts(world, { restarts: 2, lastDeath }), POD);

    expect(notRead.map(({ item }) => item)).not.toContain('first reading of previous.log');
    expect(lineNumbers(files['previous.log'] ?? '')).toHaveLength(10);
  });
});
