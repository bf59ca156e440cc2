import { expect, it } from 'vitest';
import { valueIn } from '../incident.ts';

const KILL =
  '[812340.2] oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=c1,mems_allowed=0,oom_memcg=/kubepods/burstable/pod6d0c,task_memcg=/kubepods/burstable/pod6d0c/c1,task=VLLM::EngineCor,pid=40207,uid=0\n[812340.3] Memory cgroup out of memory: Killed process 40207 (VLLM::EngineCor) total-vm:9000000kB, anon-rss:900000kB, file-rss:5kB, shmem-rss:0kB, UID:0 pgtables:6kB oom_score_adj:985\n';

async function whoseLimit(...containers: readonly string[]) {
  const pod = {
    kind: 'Pod',
    metadata: { name: 'vllm-0', namespace: 'llm' },
    spec: { containers: containers.map((name) => ({ name, image: `acme/${name}:1` })) },
  };
  return valueIn({ 'kernel.txt': KILL, 'pod.json': JSON.stringify(pod) }, 'kernel.oom-kill');
}

it('a kill at the limit of the pod is of all containers where there are several, else of the one', async () => {
  expect(await whoseLimit('vllm', 'model-sync')).toBe('pod');
  expect(await whoseLimit('vllm')).toBe('container');
});
