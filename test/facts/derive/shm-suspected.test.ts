import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

const FAILED = [
  'INFO 11-12 09:00:01 [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: model=acme/heron-32b',
  '(EngineCore_DP0 pid=212) ERROR 11-12 09:00:40 [core.py:708] torch.distributed.DistBackendError: NCCL error in: /pytorch/torch/csrc/distributed/c10d/NCCLUtils.hpp:77, unhandled system error (run with NCCL_DEBUG=INFO for details), NCCL version 2.27.3',
];
const TOKEN = { name: 'token', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };

type Spec = { readonly gpus?: string; readonly mounts?: readonly object[]; readonly hostIPC?: boolean };

const podOf = ({ gpus = '2', mounts = [TOKEN], hostIPC = false }: Spec) =>
  JSON.stringify({
    metadata: { name: 'heron-0', namespace: 'llm' },
    spec: {
      hostIPC,
      containers: [
        {
          name: 'vllm',
          image: 'vllm/vllm-openai:v0.11.0',
          resources: { limits: { 'nvidia.com/gpu': gpus, memory: '64Gi' } },
          volumeMounts: mounts,
        },
      ],
      volumes: [{ name: 'dshm', emptyDir: { medium: 'Memory', sizeLimit: '8Gi' } }],
    },
  });

async function diagnosed(lines: readonly string[], pod?: Spec) {
  const files = { 'previous.log': `${lines.join('\n')}\n`, ...(pod && { 'pod.json': podOf(pod) }) };
  return diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
}

describe('NCCL that fails at the start of several GPUs', () => {
  it('is put down to /dev/shm where the pod mounts nothing there', async () => {
    const { diagnosis, facts } = await diagnosed(FAILED, {});

    expect(diagnosis.verdict).toMatchObject({ finding: 'host-shm-suspected', plane: 'host', certain: false });
    expect(facts.get('ram.shm-size')).toMatchObject({ value: 64 * 2 ** 20 });
    expect(facts.get('ram.shm-suspected')).toMatchObject({
      from: [
        expect.objectContaining({ line: 2 }),
        expect.objectContaining({ path: '/spec/containers/0/volumeMounts' }),
      ],
    });
  });

  it.each([
    ['a volume is mounted at /dev/shm', { mounts: [TOKEN, { name: 'dshm', mountPath: '/dev/shm' }] }],
    ['the pod has the IPC of its node', { hostIPC: true }],
    ['no mount is listed: the spec is trimmed', { mounts: [] }],
    ['the container has one GPU', { gpus: '1' }],
  ] satisfies readonly (readonly [string, Spec])[])('is not where %s', async (_name, pod) => {
    const { diagnosis } = await diagnosed(FAILED, pod);

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.comm' });
  });
});
