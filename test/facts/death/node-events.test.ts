import { describe, expect, it } from 'vitest';
import { diagnoseFiles, valueOfFact } from '../incident.ts';
import { ended, podFile } from '../pod.ts';

const ENDED = '2026-09-14T09:30:40Z';
const GROUP =
  'Memory cgroup out of memory: Killed process 40207 (VLLM::EngineCor) total-vm:201326592kB, anon-rss:99663296kB, file-rss:57184kB, shmem-rss:262144kB, UID:0 pgtables:68000kB oom_score_adj:985';

async function factsOf(message: string, at: string) {
  const involvedObject = { kind: 'Node', name: 'gpu-node-7' };
  const { facts, diagnosis } = await diagnoseFiles({
    ...podFile({
      status: { lastState: ended('Error', 137, '2026-09-14T03:00:00Z', ENDED) },
      node: 'gpu-node-7',
    }),
    'node.json': JSON.stringify({ kind: 'Node', metadata: { name: 'gpu-node-7' } }),
    'events.json': JSON.stringify([{ reason: 'OOMKilling', message, involvedObject, lastTimestamp: at }]),
  });
  return [valueOfFact(facts, 'kernel.oom-kill'), diagnosis.verdict.plane, diagnosis.verdict.certain];
}

describe('a kill that a detector on the node reports as its event', () => {
  it('is the container’s where it is of its limit, its time and its process', async () => {
    expect(await factsOf(GROUP, ENDED)).toEqual(['container', 'host', true]);
    expect(await factsOf(GROUP.replace('VLLM::EngineCor', 'postgres'), ENDED)).toEqual([undefined, 'host', false]);
    expect(await factsOf(GROUP, '2026-09-14T01:00:00Z')).toEqual([undefined, 'host', false]);
  });

  it('is of the node where no group ran full', async () => {
    expect(await factsOf(GROUP.replace('Memory cgroup out', 'Out'), ENDED)).toEqual(['node', 'host', true]);
  });
});
