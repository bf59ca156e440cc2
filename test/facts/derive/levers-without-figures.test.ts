import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(remark: string, uptime = 'startup') {
  const source = aSnapshot({ 'previous.log': `# ${remark}\n`, 'incident.json': JSON.stringify({ uptime }) });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('what went well with another setting, where nothing else is told', () => {
  it.each([
    ['fails on a 24 GB card with max_model_len 32768, works with max_model_len 8192', 'gpu', 'gpu.startup.kv-room'],
    ['with --gpu-memory-utilization 0.9 it works, with 0.98 it does not', 'gpu', 'gpu.startup.utilization'],
    ['a 70B model in bf16 does not work, a 4 bit version does', 'gpu', 'gpu.startup.weights'],
    ['runs only with --shm-size=16g', 'host', 'host.shm'],
    ['works once the pod has 96Gi of RAM', 'host', 'host.startup.weight-staging'],
    ['starts with NCCL_P2P_DISABLE=1', 'none', 'none.comm'],
    ['a second instance on the same card does not come up', 'gpu', 'gpu.startup.shared-gpu'],
    ['nvidia-smi shows a zombie process that keeps 70 GB', 'gpu', 'gpu.startup.shared-gpu'],
    ['the pod needs 70 GB of RAM at start, the limit is 64Gi', 'host', 'host.startup.weight-staging'],
    ['kubelet: The node was low on resource: memory', 'host', 'host.node-pressure'],
    ['/dev/shm of the pod is 64M', 'host', 'host.shm'],
    ['docker ps: Exited (137) 2 minutes ago', 'host', 'host.startup.weight-staging'],
    ['download of the model from the hub ends with 401', 'none', 'none.config'],
  ])('leads a guess: %s', async (remark, plane, cause) => {
    expect(await verdictOf(remark)).toMatchObject({ plane, cause, certain: false });
  });

  it.each([
    ['with 8 users it works, with 32 the engine is gone', 'gpu', 'gpu.burst.concurrency'],
    ['the output is garbage', 'none', 'none.other'],
    ['preemption warnings with more than 64 requests', 'none', 'none.preemption-warning'],
  ])('leads a guess while serving: %s', async (remark, plane, cause) => {
    expect(await verdictOf(remark, 'hours')).toMatchObject({ plane, cause, certain: false });
  });

  it.each([
    ['--shm-size=16g is set'],
    ['max_model_len is 8192'],
    ['it works on my machine'],
    ['/dev/shm of the pod is 64Gi'],
    ['two instances on two cards'],
  ])('tells nothing where nothing was tried, or nothing with it: %s', async (remark) => {
    expect((await verdictOf(remark)).plane).toBe('unknown');
  });

  it('gives way to an error of the engine', async () => {
    const found = await verdictOf('ValueError: unsupported architecture X\n# works with --shm-size=16g');

    expect(found.plane).not.toBe('gpu');
  });
});
