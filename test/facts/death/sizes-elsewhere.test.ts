import { describe, expect, it } from 'vitest';
import { verdictOfFiles } from '../incident.ts';

const KILLED = (anon: number, shmem: number) =>
  `Out of memory: Killed process 301 (VLLM::Worker_TP) total-vm:198220416kB, anon-rss:${anon}kB, file-rss:90112kB, shmem-rss:${shmem}kB`;
const OFFLOAD = '--tensor-parallel-size 2 --cpu-offload-gb 60';
const DIED = 'Last State: Terminated\n  Reason: OOMKilled\n  Exit Code: 137\nLimits:\n  memory: 500Gi\n';

async function verdictOf(files: Record<string, string>) {
  const incident = JSON.stringify({ engine: 'vllm', uptime: 'startup' });
  return verdictOfFiles({ 'incident.json': incident, ...files });
}

describe('shared memory where nobody kept the log of the kernel', () => {
  it('near miss - most of what was killed was its own', async () => {
    const files = { 'args.txt': OFFLOAD, 'previous.log': `${KILLED(74_611_880, 1_204_812)}\n` };

    expect(await verdictOf(files)).toMatchObject({ plane: 'host', cause: 'host.startup.weight-staging' });
  });

  it.each(['memory.current 492 GiB\nshmem 28.7 GiB\nanon 461.0 GiB\n', 'node shmem 461.0 GiB\nanon 28.7 GiB\n'])(
    'near miss - it is less than the rest, or of somebody else: %s',
    async (metrics) => {
      expect(await verdictOf({ 'describe.txt': DIED, 'metrics.txt': metrics })).toMatchObject({
        finding: 'host-startup-limit',
      });
    },
  );
});
