import { describe, expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';
import { ASSERTION, described, EVENTS, GPU_OOM, SERVED } from '../served-engine.ts';

const verdictOf = (log: readonly string[], describeText: string) =>
  verdictOfFiles({ ...logged(...log), 'describe.txt': describeText });

const KILLED = [...SERVED, '/entrypoint.sh: line 12:    23 Killed                  vllm serve Qwen/Qwen3-8B'];

const LISTED = 'LAST SEEN   TYPE      REASON      OBJECT      MESSAGE\n';
const FULL =
  "0/6 nodes are available: 2 Insufficient nvidia.com/gpu, 4 node(s) didn't match Pod's node affinity/selector.";
const NOT_PLACED = `  Warning  FailedScheduling  51m  default-scheduler  ${FULL}\n`;

const died = (exitCode: number, probes = '') => described('vllm-0', 'Error', exitCode) + probes;

describe('a pod that found no node', () => {
  const past = `${EVENTS}${NOT_PLACED}  Normal   Scheduled         48m  default-scheduler  Successfully assigned serving/vllm-0 to gpu-1\n`;

  it('and then ran and was killed died of what killed it', async () => {
    expect(await verdictOf(KILLED, died(137) + past)).toMatchObject({ plane: 'host', certain: false });
    expect(await verdictOf(SERVED, died(137) + past)).toMatchObject({ certain: false });
    expect(await verdictOf(ASSERTION, died(1) + past)).toMatchObject({});
  });

  it.each([139, 1])('lacks no memory of a card for it, exit code %d', async (exitCode) => {
    const { plane, certain } = await verdictOf(SERVED, died(exitCode) + EVENTS + NOT_PLACED);

    expect(certain).toBe(false);
    expect(plane).not.toBe('gpu');
  });

  it('and is another one says nothing of this', async () => {
    const other = `${LISTED}12m         Warning   FailedScheduling   pod/vllm-1     ${FULL}\n`;

    expect(await verdictOf(SERVED, died(137) + other)).toMatchObject({ certain: false });
    expect(await verdictOf(ASSERTION, died(1) + other)).toMatchObject({});
  });

  it('takes nothing from the log of the one before it', async () => {
    const waits = `Name:             vllm-6c9f-zz7p4\nStatus:           Pending\nContainers:\n  vllm:\n    Image:          vllm/vllm-openai:v0.11.0\nConditions:\n  Type           Status\n  PodScheduled   False\n${EVENTS}${NOT_PLACED}`;

    expect(await verdictOf(GPU_OOM, waits)).toMatchObject({ plane: 'gpu', certain: true });
    expect((await verdictOf(SERVED, waits)).certain).toBe(false);
    expect(await verdictOf(['# no log: the container never started'], waits)).toMatchObject({
      finding: 'none-no-gpu',
      certain: true,
    });
  });
});

describe('a probe', () => {
  const LIVENESS =
    '    Liveness:       http-get http://:8000/health delay=300s timeout=5s period=10s #success=1 #failure=6\n';
  const SIDECAR =
    '  istio-proxy:\n    Image:          istio/proxyv2:1.24\n    Liveness:       http-get http://:15021/healthz delay=10s timeout=3s period=15s #success=1 #failure=4\n';
  const FAILED = 'Container vllm failed liveness probe, will be restarted';
  const killing = (message: string) => `${EVENTS}  Normal   Killing    3m   kubelet  ${message}\n`;
  const unhealthy = (age: string) =>
    `${EVENTS}  Warning  Unhealthy  ${age}  kubelet  Liveness probe failed: HTTP probe failed with statuscode: 503\n`;

  it.each([
    ['failed once of six times', 137, LIVENESS + unhealthy('6m')],
    ['may be of a sidecar', 137, LIVENESS + SIDECAR + unhealthy('6m (x9 over 9m)')],
    ['killed a sidecar', 137, LIVENESS + SIDECAR + killing(FAILED.replace('vllm', 'istio-proxy'))],
    ['killed an earlier life', 1, LIVENESS + killing(FAILED)],
  ])('that %s is not the end', async (_, exitCode, rest) => {
    expect(await verdictOf(SERVED, died(exitCode, rest))).toMatchObject({ certain: false });
  });

  it('that killed the container is the end', async () => {
    const end = { finding: 'none-probe-kill', cause: 'none.probe-kill', certain: true };

    expect(await verdictOf(SERVED, died(137, LIVENESS + killing(FAILED)))).toMatchObject(end);
  });

  it.each([
    ['Stopping container vllm', false],
    ['Container vllm definition changed, will be restarted', false],
    ['Stopping container istio-proxy', true],
  ])('did not send the SIGTERM of its age where the events tell who did: %s', async (message, certain) => {
    const young = died(143, `${LIVENESS.replace('300s', '14650s')}${killing(message)}`);

    expect((await verdictOf(SERVED, young)).certain).toBe(certain);
  });
});
