import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, valueOfFact } from '../incident.ts';
import { ended, podFile, running } from '../pod.ts';
import { SERVED as LINES } from '../served-engine.ts';

async function diagnosed(files: Files) {
  const { diagnosis, facts } = await diagnoseFiles(files);
  return { verdict: diagnosis.verdict, kill: valueOfFact(facts, 'kernel.oom-kill') };
}

const SERVED = `${LINES.join('\n')}\n`;

const UID = '11111111-2222-3333-4444-555555555555';
const aPod = (exitCode: number) =>
  podFile({
    metadata: { namespace: 'serving', uid: UID },
    node: 'gpu-1',
    status: {
      state: running('2026-09-14T14:05:20Z'),
      lastState: ended('Error', exitCode, '2026-09-14T10:00:00Z', '2026-09-14T14:05:15Z'),
    },
  });

function anEvent(reason: string, message: string, at = '2026-09-14T14:05:14Z'): string {
  const involvedObject = { kind: 'Node', name: 'gpu-1' };
  return JSON.stringify({ items: [{ reason, message, involvedObject, firstTimestamp: at, lastTimestamp: at }] });
}
const victim = (name: string) => `System OOM encountered, victim process: ${name}, pid: 41235`;
const NODE = JSON.stringify({ metadata: { name: 'gpu-1' } });

it.each([
  ['its process', victim('VLLM::EngineCor')],
  ['nobody', 'System OOM encountered'],
])('an event of the node is one where it names %s', async (_, message) => {
  const files = { 'previous.log': SERVED, 'node.json': NODE, ...aPod(137) };

  expect((await diagnosed({ ...files, 'events.json': anEvent('SystemOOM', message) })).kill).toBe('node');
});

const counted = (labels: string) => `container_oom_events_total{${labels}} 2`;
const killed = (labels: string) => `kube_pod_container_status_last_terminated_reason{${labels},reason="OOMKilled"} 1`;
const evicted = (pod: string) =>
  `Sep 14 14:05:14 gpu-1 kubelet[9]: I0914 kubelet.go:2400] "Pod was evicted" pod="${pod}" message="The node was low on resource: memory. "`;
const event = (pod: string) =>
  `I0914 event.go:307] "Event occurred" object="${pod}" kind="Pod" reason="Evicted" message="The node was low on resource: memory. "`;
const inJson = (pod: string) =>
  `{"ts":1757858714123.4,"caller":"kubelet/kubelet.go:2400","msg":"Pod was evicted","pod":{"name":"${pod}","namespace":"serving"},"message":"The node was low on resource: memory. "}`;

const NAMED = aPod(1);
const DESCRIBED: Files = { 'describe.txt': 'Name: vllm-0\nNamespace: serving\n' };

function pasted(line: string, beside: Files): readonly Files[] {
  const log = { 'previous.log': SERVED };
  return [
    { ...log, ...beside, 'describe.txt': `${beside['describe.txt'] ?? ''}${line}\n` },
    { ...beside, 'previous.log': `${SERVED}${line}\n` },
    { ...log, ...beside, 'kernel.txt': `${line}\n` },
  ];
}

describe('a metric or a line of the kubelet that was pasted anywhere', () => {
  it.each([
    ['the counter of another pod', counted('container="vllm",namespace="serving",pod="shop-0"'), NAMED],
    ['the counter of a helper', counted('container="fluent-bit",namespace="serving",pod="vllm-0"'), DESCRIBED],
    ['the counter of another namespace', counted('container="vllm",namespace="test",pod="vllm-0"'), NAMED],
    ['the reason of another pod', killed('container="vllm",namespace="serving",pod="vllm-1"'), DESCRIBED],
    ['another pod that was evicted', evicted('serving/shop-0'), NAMED],
    ['a replica that was evicted', evicted('serving/vllm-1'), DESCRIBED],
    ['one of another namespace that was evicted', evicted('test/vllm-0'), NAMED],
  ])('is none of the engine’s: %s', async (_, line, beside) => {
    for (const files of pasted(line, beside)) {
      expect((await diagnosed(files)).verdict).toMatchObject({ plane: 'unknown', certain: false });
    }
  });

  it.each([
    [
      'counters of replicas',
      `${counted('container="vllm",pod="vllm-0"')}\n${counted('container="vllm",pod="vllm-1"')}`,
    ],
    ['a counter of a pod of which nothing tells', counted('container="shop",pod="shop-0"')],
    ['replicas that were evicted', `${evicted('serving/vllm-0')}\n${evicted('serving/vllm-1')}`],
  ])('proves nothing where it may be another’s: %s', async (_, line) => {
    for (const files of pasted(line, {})) {
      expect((await diagnosed(files)).verdict.certain).toBe(false);
    }
  });

  it.each([
    ['its counter', counted('container="vllm",namespace="serving",pod="vllm-0"'), NAMED],
    ['its counter by its name alone', counted('container="vllm",pod="vllm-0"'), {}],
    ['its eviction', evicted('serving/vllm-0'), NAMED],
    ['an eviction of the only one', evicted('serving/qwen-0'), {}],
    ['an event of its own', event('serving/vllm-0'), DESCRIBED],
    ['its eviction in JSON', inJson('vllm-0'), NAMED],
  ])('stays certain where it is the engine’s: %s', async (_, line, beside) => {
    for (const files of pasted(line, beside)) {
      expect((await diagnosed(files)).verdict).toMatchObject({ plane: 'host', certain: true });
    }
  });
});

it('leaves what the engine says itself, whichever pod it names', async () => {
  const error = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.71 GiB. target pod="serving/vllm-1"';

  expect((await diagnosed({ ...NAMED, 'previous.log': `${SERVED}${error}\n` })).verdict).toMatchObject({
    plane: 'gpu',
    certain: true,
  });
});
