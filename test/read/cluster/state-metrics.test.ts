import { describe, expect, it } from 'vitest';
import { type Files, factsOfFiles, valueOfFact } from '../../facts/incident.ts';

const last = (metric: string, labels: string, value: number) =>
  `kube_pod_container_status_${metric}{${labels}} ${value}`;
const CODE = last('last_terminated_exitcode', 'pod="p-0",container="vllm"', 137);
const reason = (word: string, value = 1) =>
  last('last_terminated_reason', `pod="p-0",container="vllm",reason="${word}"`, value);

async function factsOf(lines: readonly string[], more: Files = {}) {
  const facts = await factsOfFiles({ 'metrics.txt': `${lines.join('\n')}\n`, ...more });
  return (id: string) => valueOfFact(facts, id);
}

describe('the status of a pod by kube-state-metrics', () => {
  it('tells of the last end what describe tells', async () => {
    const at = last('last_terminated_timestamp', 'pod="p-0",container="vllm"', 1_769_577_011);
    const restarts = last('restarts_total', 'pod="p-0",container="vllm"', 4);

    const fact = await factsOf([CODE, reason('Error', 0), reason('OOMKilled'), at, restarts]);

    expect(fact('death.reason')).toBe('OOMKilled');
    expect(fact('death.oom-killed')).toBe(true);
    expect(fact('death.exit-code')).toBe(137);
    expect(fact('death.container')).toBe('vllm');
    expect(fact('death.at')).toBe(1_769_577_011_000);
    expect(fact('death.restarts')).toBe(4);
  });

  it('leaves open who killed where no reason is there', async () => {
    const fact = await factsOf([CODE]);

    expect(fact('death.killed-unexplained')).toBe(true);
    expect(fact('death.oom-killed')).toBeUndefined();
  });

  it('reads the labels of what was scraped, not those of the exporter', async () => {
    const labels = 'container="kube-state-metrics",pod="ksm-1",exported_container="vllm",exported_pod="p-0"';

    const fact = await factsOf([last('last_terminated_exitcode', labels, 139)]);

    expect(fact('death.container')).toBe('vllm');
  });

  it('tells of a container that waits, and of one that starts first', async () => {
    const fact = await factsOf([
      'kube_pod_status_phase{pod="p-0",phase="Pending"} 1',
      'kube_pod_status_phase{pod="p-0",phase="Running"} 0',
      last('waiting_reason', 'pod="p-0",container="vllm",reason="ImagePullBackOff"', 1),
    ]);
    const init = await factsOf([
      'kube_pod_init_container_status_last_terminated_reason{container="get",reason="OOMKilled"} 1',
    ]);

    expect(fact('pod.pending-for')).toBe('image-pull');
    expect(init('death.container-role')).toBe('init');
  });

  it.each([
    ['a sample of 0', `${last('last_terminated_reason', 'pod="p-0",reason="OOMKilled",uid="1"', 0)}`],
    ['a rule', '  expr: kube_pod_container_status_last_terminated_reason{reason="OOMKilled"} == 1'],
    ['a helper beside the engine', `${reason('Error')}\n${reason('OOMKilled').replace('vllm', 'fluent-bit')}`],
  ])('proves no RAM by %s', async (_name, text) => {
    const fact = await factsOf([text]);

    expect(fact('evidence.plane')).toBeUndefined();
    expect(fact('death.oom-killed')).not.toBe(true);
  });

  it('tells nothing where the samples are of several pods', async () => {
    const other = last('last_terminated_exitcode', 'pod="p-1",container="vllm"', 1);

    expect((await factsOf([CODE, other]))('death.exit-code')).toBeUndefined();
  });

  it('gives way to a status', async () => {
    const fact = await factsOf([CODE, reason('OOMKilled')], {
      'describe.txt': 'Last State:  Terminated\n  Reason:  Error\n  Exit Code:  1\n',
    });

    expect(fact('death.exit-code')).toBe(1);
    expect(fact('death.oom-killed')).toBe(false);
  });

  it('says of a pod that runs for the first time that nothing died', async () => {
    const fact = await factsOf([last('running', 'container="vllm"', 1), last('restarts_total', 'container="vllm"', 0)]);

    expect(fact('death.restarts')).toBe(0);
    expect(fact('death.oom-killed')).toBe(false);
  });
});
