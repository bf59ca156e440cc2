import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

type Files = Readonly<Record<string, string>>;

const diagnosed = (files: Files) => diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });

async function factOf(files: Files, id: string): Promise<unknown> {
  const fact = (await diagnosed(files)).facts.get(id);
  return fact?.kind === 'known' ? fact.value : undefined;
}

const logged = (...lines: readonly string[]): Files => ({ 'previous.log': `${lines.join('\n')}\n` });

describe('an error that names the fraction', () => {
  const WARM_UP = 'RuntimeError: CUDA out of memory occurred when warming up sampler with 1024';

  it.each([
    [
      'in its line',
      [`${WARM_UP} dummy requests. Please try lowering \`max_num_seqs\` or \`gpu_memory_utilization\`.`],
      true,
    ],
    [
      'in lines that a terminal wrapped',
      [WARM_UP, 'dummy requests. Please try lowering `max_num_seqs` or', '`gpu_memory_utilization`.'],
      true,
    ],
    ['in none', [`${WARM_UP} dummy requests.`], undefined],
    ['of its settings alone', [`${WARM_UP} dummy requests.`, 'INFO gpu_memory_utilization=0.9'], undefined],
    [
      'too far below',
      [WARM_UP, 'dummy requests.', 'again', 'Please try lowering `gpu_memory_utilization`.'],
      undefined,
    ],
  ])('%s', async (_where, lines, expected) => {
    expect(await factOf(logged(...lines), 'log.names-fraction')).toBe(expected);
  });
});

describe('a request that wants the probabilities of its prompt', () => {
  const dump = (...requests: readonly string[]) =>
    logged(
      `(EngineCore_DP0 pid=2) ERROR 09-14 10:47:10 [dump_input.py:76] Dumping scheduler output for model execution: SchedulerOutput(scheduled_new_reqs=[${requests.join(', ')}], num_scheduled_tokens={cmpl-1: 8192}, total_num_scheduled_tokens=8192)`,
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 4.64 GiB.',
    );
  const request = (id: string, logprobs: string) =>
    `NewRequestData(req_id=${id},prompt_token_ids_len=8192,sampling_params=SamplingParams(n=1, prompt_logprobs=${logprobs}))`;

  it.each([
    ['the one that asks', dump(request('cmpl-1', '1')), 'cmpl-1'],
    ['for those of its own tokens alone', dump(request('cmpl-1', '0')), 'cmpl-1'],
    ['the second of two', dump(request('cmpl-1', 'None'), request('cmpl-2', '5')), 'cmpl-2'],
    ['none', dump(request('cmpl-1', 'None')), undefined],
  ])('is named: %s', async (_which, files, expected) => {
    expect(await factOf(files, 'step.prompt-logprobs')).toBe(expected);
  });
});

describe('a fault of the card itself', () => {
  it.each([
    ['an ECC error', 'RuntimeError: CUDA error: uncorrectable ECC error encountered', true],
    ['a card off the bus', 'NVRM: GPU at PCI:0000:3b:00 has fallen off the bus.', true],
    ['Xid 48', 'NVRM: Xid (PCI:0000:1a:00): 48, pid=1234, name=python3, DBE (double bit error)', true],
    ['Xid 31, of a kernel', 'NVRM: Xid (PCI:0000:3b:00): 31, pid=77, name=VLLM::Worker, MMU Fault', undefined],
    ['an illegal access', 'RuntimeError: CUDA error: an illegal memory access was encountered', undefined],
    ['an error that is not known', 'RuntimeError: CUDA error: unknown error', undefined],
  ])('is told by %s: %s', async (_what, line, expected) => {
    const { diagnosis, facts } = await diagnosed(logged(line));
    const fact = facts.get('gpu.hardware-fault');

    expect(diagnosis.verdict).toMatchObject({ plane: 'none', cause: 'none.gpu-fault' });
    expect(fact?.kind === 'known' ? fact.value : undefined).toBe(expected);
    expect(diagnosis.verdict.finding).toBe(expected === true ? 'none-gpu-hardware' : 'none-gpu-fault');
  });

  it('is no word of what CUDA does not know', async () => {
    const { diagnosis } = await diagnosed(logged('RuntimeError: CUDA error: unknown error'));

    expect(diagnosis.says).toContain('CUDA says that something failed, and not what');
    expect(diagnosis.says).not.toContain('read or wrote where it must not');
  });
});

describe('a volume for which a pod was evicted', () => {
  const EVENT = 'Warning  Evicted  9m38s  kubelet, node  Usage of EmptyDir volume "dshm" exceeds the limit "1Gi".';

  it('is named with its limit, in the events and in what people paste', async () => {
    for (const files of [logged(`  ${EVENT}`), { 'describe.txt': `Events:\n  ${EVENT}\n` }]) {
      expect(await factOf(files, 'death.evicted-volume')).toBe('dshm');
      expect(await factOf(files, 'death.evicted-volume-limit')).toBe('1Gi');
    }
  });

  it('is nobody’s where a pod was evicted for something else', async () => {
    const line = 'Warning  Evicted  9m38s  kubelet  The node was low on resource: memory.';

    expect(await factOf(logged(line), 'death.evicted-volume')).toBeUndefined();
  });
});

describe('the size of /dev/shm', () => {
  const pod = (medium: string) =>
    JSON.stringify({
      metadata: { name: 'a' },
      spec: {
        containers: [{ name: 'vllm', image: 'vllm/vllm-openai', volumeMounts: [{ name: 's', mountPath: '/dev/shm' }] }],
        volumes: [{ name: 's', emptyDir: { medium, sizeLimit: '8Gi' } }],
      },
    });

  it.each([
    [
      'by df -h',
      { 'describe.txt': 'Filesystem  Size  Used Avail Use% Mounted on\nshm   64M   31M   34M  48% /dev/shm\n' },
      64,
    ],
    [
      'by a row that is cut',
      { 'describe.txt': '# df -h /dev/shm\nFilesystem      Size  Used\nshm              64M\n' },
      64,
    ],
    ['by df in KiB', { 'metrics.txt': 'tmpfs   8388608   20480   8368128   1% /dev/shm\n' }, 8192],
    ['by its volume', { 'pod.json': pod('Memory') }, 8192],
    ['not by a volume on disk', { 'pod.json': pod('') }, undefined],
    ['not by another mount', { 'describe.txt': 'tmpfs   1.6G   3.1M   1.6G   1% /run\n' }, undefined],
  ])('is known %s', async (_how, files, mib) => {
    expect(await factOf(files as Files, 'ram.shm-size')).toBe(mib === undefined ? undefined : mib * 2 ** 20);
  });
});

describe('a service that was killed', () => {
  const KILLED =
    'Feb 24 11:16:31 host systemd[1]: ollama.service: A process of this unit has been killed by the OOM killer.';
  const PEAK = 'Feb 24 11:16:32 host systemd[1]: ollama.service: Consumed 32.964s CPU time, 123.9G memory peak.';

  it.each([
    ['with what it held', [KILLED, PEAK], 'ollama.service', 123.9 * 2 ** 30],
    ['without', [KILLED], 'ollama.service', undefined],
    ['and another’s peak', [KILLED, PEAK.replace('ollama', 'other')], 'ollama.service', undefined],
    ['that runs containers', [KILLED.replace('ollama', 'containerd')], undefined, undefined],
  ])('is named %s', async (_how, lines, service, peak) => {
    expect(await factOf(logged(...lines), 'ram.service')).toBe(service);
    expect(await factOf(logged(...lines), 'ram.service-peak')).toBe(peak);
  });

  it('is offered no limit of a container', async () => {
    const incident = JSON.stringify({ engine: 'ollama', uptime: 'startup' });
    const { diagnosis } = await diagnosed({ ...logged(KILLED), 'incident.json': incident });
    const said = diagnosis.verdict.remedies.map(({ says }) => says).join('\n');

    expect(diagnosis.verdict).toMatchObject({ plane: 'host', phase: 'startup' });
    expect(said).toContain('ollama.service is a service of the machine');
    expect(said).not.toMatch(/limit of the container|safetensors|ranks/);
  });
});

describe('layers that Ollama leaves in RAM', () => {
  const plan = (layers: number, onGpu: number, whole = '') =>
    logged(
      `time=2026-05-01T10:00:00Z level=INFO source=memory.go:356 msg="offload to cuda" layers.requested=-1 layers.model=${layers} layers.offload=${onGpu}${whole}`,
    );

  it.each([
    [
      'with the size of the model',
      plan(81, 14, ' memory.required.full="136.3 GiB"'),
      '67 of the 81 layers of a model that takes 136.3 GiB',
    ],
    ['without it', plan(33, 20), '13 of the 33 layers of the model'],
    ['none', plan(33, 33), undefined],
  ])('%s', async (_how, files, expected) => {
    expect(await factOf(files, 'ram.layers-left')).toBe(expected);
  });
});

describe('the size of a pool', () => {
  const batch = (tokens: number, usage: string) =>
    logged(
      `[2025-12-12 08:43:59 TP0] Decode batch, #running-req: 6, #token: ${tokens}, token usage: ${usage}, #queue-req: 5,`,
    );

  it.each([
    ['by number and share in use', batch(1920, '0.94'), 2043],
    ['on the line of what can be told', batch(100, '0.05'), 2000],
    ['not by a share that is too small', batch(100, '0.04'), undefined],
    ['not where nothing is in use', batch(0, '0.00'), undefined],
  ])('is told %s', async (_how, files, expected) => {
    expect(await factOf(files, 'kv-cache.pool-tokens')).toBe(expected);
  });
});

describe('the nodes that a pod waits for', () => {
  const waits = (message: string) => ({
    'describe.txt': `Name:  a\nStatus:  Pending\nEvents:\n  Type     Reason            Age  From               Message\n  Warning  FailedScheduling  2m   default-scheduler  ${message}\n`,
  });

  it.each([
    [
      '0/6 nodes are available: 6 Insufficient nvidia.com/gpu. preemption: 0/6 nodes are available: 6 No preemption victims.',
      6,
      6,
    ],
    ['0/12 nodes are available: 4 Insufficient nvidia.com/gpu, 8 node(s) had untolerated taint {gpu: true}.', 12, 4],
    ['0/3 nodes are available: 1 node(s) had untolerated taint, 2 Insufficient memory.', 3, 2],
    ['0/3 nodes are available: 3 node(s) had untolerated taint {gpu: true}.', 3, undefined],
    [
      '0/3 nodes are available: 3 node(s) had untolerated taint {gpu: true}. preemption: 0/3 nodes are available: 3 Insufficient nvidia.com/gpu.',
      3,
      undefined,
    ],
  ])('%s', async (message, nodes, without) => {
    expect(await factOf(waits(message), 'pod.nodes')).toBe(nodes);
    expect(await factOf(waits(message), 'pod.nodes-without')).toBe(without);
  });
});

describe('a growth that was measured', () => {
  it('is told with its last reading', async () => {
    const reading = 'device memory after 7 days and 500k to 1 million requests: 20 GB more';
    const { diagnosis } = await diagnosed({
      'metrics.txt': `device memory after start: level of the static pool\n${reading}\n`,
      'incident.json': JSON.stringify({ engine: 'sglang', uptime: 'days' }),
    });

    expect(diagnosis.verdict.finding).toBe('gpu-grows-measured');
    expect(diagnosis.says).toContain(`“${reading}”`);
  });
});

describe('what a line means', () => {
  const ofLine = async (line: string) => (await diagnosed(logged(line))).diagnosis;

  it('holds the figures of the line', async () => {
    const { says } = await ofLine(
      'ValueError: Chunked MM input disabled but max_tokens_per_mm_item (2496) is larger than max_num_batched_tokens (2048).',
    );

    expect(says).toContain('Set --max-num-batched-tokens to 2496 or more (now 2048).');
  });

  it('leaves out a sentence whose figure the line lacks', async () => {
    const told = await ofLine('RuntimeError: The NVIDIA driver on your system is too old (found version 12040).');
    const silent = await ofLine('RuntimeError: The NVIDIA driver on your system is too old.');

    expect(told.says).toContain('That driver supports CUDA up to 12.4. One of the two has to change.');
    expect(silent.says).toMatch(/Nothing ran out\. One of the two has to change\.$/);
  });

  it('stands over what is something else, and once', async () => {
    const { headline, says } = await ofLine(
      'RuntimeError: Failed to allocate memory for batch_prefill_tmp_v with size 435814400 and alignment 16 in AlignedAllocator',
    );

    expect(headline).toBe('A fixed workspace inside the engine is too small');
    expect(says).not.toContain('A fixed workspace inside');
    expect(says).toContain('no 435814400 bytes left for batch_prefill_tmp_v');
  });
});

it('does not take an orchestrator for an engine', async () => {
  expect(await factOf({ 'incident.json': JSON.stringify({ engine: 'kubernetes' }) }, 'engine.name')).toBeUndefined();
});
