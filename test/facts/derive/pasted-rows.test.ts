import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(remark: string, files: Readonly<Record<string, string>> = {}) {
  const source = aSnapshot({ 'previous.log': `# ${remark}\n`, ...files });
  return (await diagnoseSource(source, { phrases: COMPILED_PHRASES, judge })).diagnosis.verdict;
}

describe('rows that are pasted without a word', () => {
  it.each([
    ['none.scheduling', 'llama-70b-0                0/1     Pending   0          95m'],
    ['none.driver', 'No devices were found'],
    ['none.other', '/dev/nvme0n1p1  100G  100G     0 100% /'],
    ['none.gpu-fault', 'DCGM_FI_DEV_XID_ERRORS{gpu="5"} 79'],
    ['none.gpu-fault', 'DCGM_FI_DEV_ROW_REMAP_PENDING{gpu="5"} 1'],
    ['none.gpu-fault', '        Double Bit ECC                    : 2'],
    ['none.gpu-fault', '        Remapping Failure Occurred        : Yes'],
    ['none.gpu-fault', 'index, ecc.errors.uncorrected.volatile.total, remapped_rows.pending\n0, 0, 0\n3, 4, 1'],
    ['none.other', '        HW Thermal Slowdown               : Active'],
    ['none.other', 'clocks_event_reasons.active, temperature.gpu\n0x0000000000000060, 91'],
    ['none.other', 'clocks_throttle_reasons.hw_thermal_slowdown, temperature.gpu\nActive, 91'],
    ['none.gpu-fault', '  GpuXidError       True    XID79'],
    ['none.gpu-fault', 'pcieport 0000:3a:00.0: AER: Uncorrected (Fatal) error received: 0000:3b:00.0'],
    ['none.other', '  Normal   DrainStarted 4m  machineconfigdaemon Draining node b2'],
    ['none.probe-kill', 'Oct 03 10:10:00 n1 systemd[1]: tgi.service: start operation timed out. Terminating.'],
    ['none.probe-kill', 'Container vllm (a1) found to be unhealthy - Restarting container now with 10s timeout'],
    ['none.scheduling', ' 77121       gpu   vllm-se   alice PD       0:00      1 (Resources)'],
    ['none.scheduling', '   JobState=PENDING Reason=ReqNodeNotAvail,_UnavailableNodes:gpu[1-4] Dependency=(null)'],
    ['none.other', '771003           TIMEOUT      0:0 1-00:00:12 1-00:00:00'],
    ['none.other', '9001          NODE_FAIL      0:0   03:12:44   gn07'],
    ['none.other', '5513      CANCELLED by 1002     0:0   08:01:12'],
    ['none.other', '   JobState=PREEMPTED Reason=None Dependency=(null)'],
    ['none.other', '  Normal   TriggeredScaleDown  3m  cluster-autoscaler  deleting pod for node scale down'],
    ['none.other', '  Warning  Rebooted  4m  kubelet  Node gpu-3 has been rebooted, boot id: 91aa'],
    ['none.other', '  Normal  SuccessfulDelete  30s  replicaset-controller  Deleted pod: vllm-5d-aa'],
    ['none.other', 'Oct 01 04:00:09 h1 systemd[1]: vllm.service: Deactivated successfully.'],
    ['none.config', '    Process: 9912 ExecStart=/opt/vllm/bin/vllm serve (code=exited, status=203/EXEC)'],
    ['none.config', 'ab12           vllm/vllm-openai    Exited (127) 3 seconds ago   vllm'],
    ['none.other', 'ab12           vllm/vllm-openai    Restarting (134) 3 seconds ago   vllm'],
  ])('lead a guess at %s: %s', async (cause, row) => {
    expect(await verdictOf('this is what is shown', { 'metrics.txt': `${row}\n` })).toMatchObject({
      cause,
      certain: false,
    });
  });

  it.each([
    ['llama-70b-0                1/1     Running   0          95m'],
    ['/dev/loop3      64M   64M     0 100% /snap/core20/1'],
    ['DCGM_FI_DEV_XID_ERRORS{gpu="5"} 0'],
    ['        Double Bit ECC                    : 0'],
    ['index, ecc.errors.uncorrected.volatile.total, remapped_rows.pending\n0, 0, 0'],
    ['        HW Thermal Slowdown               : Not Active'],
    ['clocks_event_reasons.active, temperature.gpu\n0x0000000000000004, 61'],
    ['        HW Thermal Slowdown               : Active\n      Exit Code:    1'],
    ['77121       gpu   vllm-se   alice R       3:00      1 gn07'],
    ['771003           COMPLETED    0:0 1-00:00:12 1-00:00:00'],
    ['ab12           vllm/vllm-openai    Exited (1) 3 seconds ago   vllm'],
  ])('tell nothing where nothing is wrong: %s', async (row) => {
    expect((await verdictOf('this is what is shown', { 'metrics.txt': `${row}\n` })).plane).not.toBe('none');
  });

  it('tell nothing else beside a job that Slurm ended for its memory', async () => {
    const rows = '1190442       OUT_OF_ME+   0:125   64G\n1190442.batch CANCELLED by 1002   0:15\n';

    expect((await verdictOf('this is what is shown', { 'metrics.txt': rows })).plane).not.toBe('none');
  });

  it.each([
    ['a card that is full by design', 'vllm-0   2/2   Running   0   44d', '0, NVIDIA A100, 74211 MiB, 81920 MiB'],
    [
      'a cache of files',
      'tgi-0 1/1 Running 0 9d',
      'node_memory_MemAvailable_bytes 2.31e11\nnode_memory_MemFree_bytes 1.1e9\nnode_vmstat_oom_kill 0',
    ],
    [
      'a level that holds',
      'llamacpp-0   1/1   Running   0   31d',
      'container_memory_working_set_bytes, 30 days: 11.8 11.8 11.7 11.8 11.8 GiB',
    ],
    ['a container that is up for weeks', 'a1   vllm:0.9   Up 3 weeks   vllm', '0, NVIDIA A100, 74211 MiB, 81920 MiB'],
    [
      'a unit that is up for weeks',
      '     Active: active (running) since Mon 2025-09-01 08:00:00 UTC; 3 weeks 2 days ago',
      '| 30%   38C    P8   22W / 300W |   41210MiB /  49140MiB |      0%      Default |',
    ],
  ])('show that all is well: %s', async (_name, pod, figures) => {
    const files = { 'describe.txt': `${pod}\n`, 'metrics.txt': `${figures}\n` };

    expect(await verdictOf('that is all', files)).toMatchObject({ plane: 'none', cause: 'none.other', certain: false });
  });

  it.each([
    ['it was restarted', 'vllm-0   1/1   Running   2   44d', '0, NVIDIA A100, 74211 MiB, 81920 MiB'],
    ['another is not ready', 'vllm-0 1/1 Running 0 9d\nvllm-1 0/1 Running 0 9d', '0, A100, 74211 MiB, 81920 MiB'],
    ['it rises', 'vllm-0   1/1   Running   0   44d', 'container_memory_working_set_bytes: 11.8 14.1 16.7 19.2 GiB'],
    ['it rises row by row', 'vllm-0 1/1 Running 0 9d', '0, A100, 61211 MiB\n0, A100, 66211 MiB\n0, A100, 72211 MiB'],
    ['it is not healthy', 'a1   vllm:0.9   Up 3 weeks (unhealthy)   vllm', '0, NVIDIA A100, 74211 MiB, 81920 MiB'],
    ['no memory is told of', 'vllm-0   1/1   Running   0   44d', 'up 1'],
  ])('show no such thing where %s', async (_name, pod, figures) => {
    const files = { 'describe.txt': `${pod}\n`, 'metrics.txt': `${figures}\n` };

    expect((await verdictOf('that is all', files)).cause).not.toBe('none.other');
  });

  const counters = (broken: number) =>
    `http_requests_total{status="400"} 512\nhttp_requests_total{status="500"} ${broken}\nkube_pod_container_status_restarts_total 0\n`;

  it('tell of requests that were refused where none failed in the server', async () => {
    const refused = await verdictOf('that is all', { 'metrics.txt': counters(0) });

    expect(refused).toMatchObject({ plane: 'none', cause: 'none.request-rejected', certain: false });
    expect((await verdictOf('that is all', { 'metrics.txt': counters(7) })).plane).toBe('unknown');
  });

  it('tell of a kill without a word of who, and lead no guess at a memory', async () => {
    const row = 'a1             vllm:0.9         Exited (137) 2 weeks ago   vllm\n';
    const told = await verdictOf('that is all', { 'describe.txt': row });

    expect(told).toMatchObject({ plane: 'unknown', certain: false });
    expect(told.finding).toBe('unknown-killed-alone');
  });

  it('tell that a pod went with its node, whose signal 9 is no lack of memory', async () => {
    const status =
      'Status: Failed\nReason: Terminated\nMessage: Pod was terminated in response to imminent node shutdown.\n';
    const end = '    State:          Terminated\n      Reason:       Error\n      Exit Code:    137\n';

    expect(await verdictOf('that is all', { 'describe.txt': status + end })).toMatchObject({ cause: 'none.other' });
  });

  it('tell of an end without failure, and not of an init container before one that failed', async () => {
    const ended = '      Reason:       Completed\n      Exit Code:    0\n    Restart Count:  17\n';

    expect(await verdictOf('again and again', { 'describe.txt': ended })).toMatchObject({ cause: 'none.other' });
    expect(
      (
        await verdictOf('again and again', {
          'describe.txt': `${ended}      Reason:       Error\n      Exit Code:    1\n`,
        })
      ).plane,
    ).toBe('unknown');
  });
});
