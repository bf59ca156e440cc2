import { describe, expect, it } from 'vitest';
import { diagnoseFiles, type Files, known, logged, valueIn, valueOfFact } from '../incident.ts';

describe('a fault of the card itself', () => {
  it.each([
    ['a card off the bus', 'NVRM: GPU at PCI:0000:3b:00 has fallen off the bus.', true],
    ['Xid 48', 'NVRM: Xid (PCI:0000:1a:00): 48, pid=1234, name=python3, DBE (double bit error)', true],
    ['Xid 31, of a kernel', 'NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=VLLM::Worker, MMU Fault', undefined],
    ['an error that is not known', 'RuntimeError: CUDA error: unknown error', undefined],
  ])('is told by %s: %s', async (_what, line, expected) => {
    const { diagnosis, facts } = await diagnoseFiles(logged(line));

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.gpu-fault' });
    expect(valueOfFact(facts, 'gpu.hardware-fault')).toBe(expected === true ? 'device' : expected);
    expect(diagnosis.verdict.finding).toBe(expected === true ? 'none-gpu-hardware' : 'none-gpu-fault');
  });

  it('is no word of what CUDA does not know', async () => {
    const { diagnosis } = await diagnoseFiles(logged('RuntimeError: CUDA error: unknown error'));

    expect(diagnosis.says).toContain('CUDA reports an unknown error');
    expect(diagnosis.says).not.toContain('read or wrote where it must not');
  });
});

const pod = (medium: string) =>
  JSON.stringify({
    metadata: { name: 'a' },
    spec: {
      containers: [{ name: 'vllm', image: 'vllm/vllm-openai', volumeMounts: [{ name: 's', mountPath: '/dev/shm' }] }],
      volumes: [{ name: 's', emptyDir: { medium, sizeLimit: '8Gi' } }],
    },
  });

it.each([
  ['by its volume', { 'pod.json': pod('Memory') }, 8192],
  ['not by a volume on disk', { 'pod.json': pod('') }, undefined],
  ['not by another mount', { 'describe.txt': 'tmpfs   1.6G   3.1M   1.6G   1% /run\n' }, undefined],
])('the size of /dev/shm is known %s', async (_how, files, mib) => {
  expect(await valueIn(files as Files, 'ram.shm-size')).toBe(mib === undefined ? undefined : mib * 2 ** 20);
});

it('what a line means holds the figures of the line', async () => {
  const line =
    'ValueError: Chunked MM input disabled but max_tokens_per_mm_item (2496) is larger than max_num_batched_tokens (2048).';

  expect((await diagnoseFiles(logged(line))).diagnosis.says).toContain(
    'Set --max-num-batched-tokens to 2496 or more (now 2048).',
  );
});

it('does not take an orchestrator for an engine', async () => {
  expect(await valueIn(known({ engine: 'kubernetes' }), 'engine.name')).toBeUndefined();
});
