import { describe, expect, it } from 'vitest';
import { valueIn } from '../incident.ts';

const DESCRIBED = `Name:             vllm-0
Namespace:        serving
Node:             gpu-1/10.0.0.9
Status:           Running
Containers:
  vllm:
    Image:          vllm/vllm-openai:v1
    Last State:     Terminated
      Reason:       Error
      Exit Code:    137
      Started:      Mon, 14 Sep 2026 10:00:00 +0000
      Finished:     Mon, 14 Sep 2026 14:05:15 +0000
`;

const available = (metrics: string, describeText = DESCRIBED) =>
  valueIn({ 'metrics.txt': metrics, 'describe.txt': describeText }, 'node.memory-available');

const GIB = 1024 ** 3;

describe('what was left of the memory of the node', () => {
  it.each([
    [
      'is that of the one sample of the node of the pod',
      'node_memory_MemAvailable_bytes{instance="cpu-worker-7:9100"} 2147483648\nnode_memory_MemAvailable_bytes{instance="gpu-1:9100"} 5368709120\n',
      5,
    ],
    ['is no part of a date', 'node_memory_MemAvailable_bytes 11-20 14:05:10 5368709120\n', undefined],
  ])('%s', async (_, metrics, gib) => {
    expect(await available(metrics)).toBe(gib === undefined ? undefined : gib * GIB);
  });

  it('is not known where several nodes are told of and not the one of the pod', async () => {
    const metrics = 'cpu-worker-7 MemAvailable: 2 GiB\nworker-1 MemAvailable: 371 GiB\n';

    expect(await available(metrics, DESCRIBED.replace(/^Node:.*\n/m, ''))).toBeUndefined();
  });
});
