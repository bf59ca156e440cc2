import { describe, expect, it } from 'vitest';
import { diagnoseSource } from '../../../src/app/triage/diagnose.ts';
import { aSnapshot, COMPILED_PHRASES, judge } from '../../playbooks/shipped.ts';

async function verdictOf(files: Readonly<Record<string, string>>) {
  const { diagnosis } = await diagnoseSource(aSnapshot(files), { phrases: COMPILED_PHRASES, judge });
  const { plane, phase, cause, certain } = diagnosis.verdict;
  return `${plane}/${phase}/${cause}${certain ? ' certain' : ''}`;
}

const LOOP =
  'NAME      READY   STATUS             RESTARTS      AGE\nllm-0     0/1     CrashLoopBackOff   4 (20s ago)   8m\n';
const ENDED = (started: string, finished: string) =>
  `    Last State:     Terminated\n      Reason:       Error\n      Exit Code:    1\n      Started:      Tue, 14 Oct 2025 ${started} +0000\n      Finished:     Tue, 14 Oct 2025 ${finished} +0000\n`;
const SMI = (used: number, total: number) =>
  `index, name, memory.used [MiB], memory.total [MiB]\n0, NVIDIA H100 80GB HBM3, ${used} MiB, ${total} MiB\n`;

describe('weights against the card, by the name of the model', () => {
  it.each([
    [
      'a start that ends again and again',
      {
        'describe.txt': LOOP,
        'nvidia-smi.txt': SMI(80900, 81559),
        'args.txt': 'vllm serve meta-llama/Llama-3.3-70B-Instruct --dtype bfloat16\n',
      },
      'gpu/startup/gpu.startup.weights',
    ],
    [
      'a slice of a card',
      {
        'describe.txt':
          '  Warning  BackOff  2m (x21 over 14m)  kubelet  Back-off restarting failed container vllm in pod m-0\n',
        'args.txt':
          '        args: ["--model", "mistralai/Mistral-7B-Instruct-v0.3", "--dtype", "float16"]\n        resources: {limits: {nvidia.com/mig-1g.10gb: 1}}\n',
      },
      'gpu/startup/gpu.startup.weights',
    ],
    [
      'a job of Slurm',
      {
        'previous.log': '884120.0  vllm  FAILED  1:0  00:03:40\n',
        'args.txt': '#SBATCH --gres=gpu:a100:1\nsrun vllm serve tiiuae/falcon-180B-chat --dtype bfloat16\n',
      },
      'gpu/startup/gpu.startup.weights',
    ],
    [
      'all layers of a file on the card',
      {
        'describe.txt': 'llm  Restarting (1) 8 seconds ago\n',
        'nvidia-smi.txt': SMI(24011, 24576),
        'args.txt': 'llama-server -m Qwen2.5-72B-Instruct-Q4_K_M.gguf -ngl 99\n',
      },
      'gpu/startup/gpu.startup.weights',
    ],
  ])('%s', async (_, files, expected) => {
    expect(await verdictOf(files)).toBe(expected);
  });
  it.each([
    [
      'near miss - half the weights on each card',
      {
        'describe.txt': LOOP,
        'args.txt': 'vllm serve meta-llama/Llama-3.3-70B-Instruct --tensor-parallel-size 4\n',
        'nvidia-smi.txt': SMI(4, 81559),
      },
    ],
    [
      'near miss - what does not fit stays in RAM',
      {
        'describe.txt': LOOP,
        'args.txt': 'llama-server -m Qwen2.5-72B-Instruct-Q4_K_M.gguf -ngl 20\n',
        'nvidia-smi.txt': SMI(4, 24576),
      },
    ],
    [
      'near miss - it ended for its arguments',
      {
        'describe.txt': 'Exit Code: 2\n',
        'nvidia-smi.txt': SMI(80900, 81559),
        'args.txt': 'vllm serve meta-llama/Llama-3.3-70B-Instruct\n',
      },
    ],
    [
      'evidence gone - nothing ended',
      { 'nvidia-smi.txt': SMI(80900, 81559), 'args.txt': '--gpu-memory-utilization 0.98\n' },
    ],
    [
      'a card that is filled by design while it served, and an error',
      {
        'describe.txt': ENDED('01:00:00', '12:00:00'),
        'nvidia-smi.txt': SMI(76800, 81559),
        'args.txt': '--gpu-memory-utilization 0.94\n',
      },
    ],
  ])('%s', async (_, files) => {
    expect(await verdictOf(files)).not.toMatch(/^gpu/);
  });
});

describe('who holds a card while a container waits', () => {
  it('a process that is listed there', async () => {
    const row = '|    2   N/A  N/A   1180341      C   [Not Found]                              71820MiB |\n';
    expect(await verdictOf({ 'describe.txt': 'sgl   Restarting (1) 19 seconds ago\n', 'nvidia-smi.txt': row })).toBe(
      'gpu/startup/gpu.startup.shared-gpu',
    );
  });
  it('near miss - processes on the cards of a whole node', async () => {
    const row = (gpu: number) =>
      `|    ${gpu}   N/A  N/A   118034${gpu}      C   python                              71820MiB |\n`;
    const files = { 'describe.txt': 'sgl   Restarting (1) 19 seconds ago\n', 'nvidia-smi.txt': row(0) + row(1) };
    expect(await verdictOf(files)).not.toMatch(/^gpu/);
  });
  it('two engines that take nine tenths each of one card', async () => {
    const described = `Limits:\n  nvidia.com/gpu.shared:  1\n${LOOP}`;
    const args = (other: string) => `a: --gpu-memory-utilization 0.9\nb: --gpu-memory-utilization ${other}\n`;
    expect(await verdictOf({ 'describe.txt': described, 'args.txt': args('0.9') })).toBe(
      'gpu/startup/gpu.startup.shared-gpu',
    );
    expect(await verdictOf({ 'describe.txt': described, 'args.txt': args('0.1') })).not.toMatch(/^gpu/);
  });
});

describe('the framebuffer over time', () => {
  it.each([
    [
      'a range of dcgm-exporter',
      'DCGM_FI_DEV_FB_USED{gpu="0"}\n70010 @[1761731400]\n80010 @[1761731415]\n81190 @[1761731430]\n0 @[1761731445]\n',
    ],
    ['one line', 'DCGM_FI_DEV_FB_FREE  12:01 1640 | 12:02 902 | 12:03 44\n'],
    [
      'JSON of Prometheus',
      '{"metric":{"__name__":"DCGM_FI_DEV_FB_USED"},"values":[[1762000000,"70010"],[1762000015,"80010"],[1762000030,"81190"],[1762000045,"0"]]}\n',
    ],
  ])('%s', async (_, metrics) => {
    expect(await verdictOf({ 'describe.txt': ENDED('01:00:00', '12:00:00'), 'metrics.txt': metrics })).toBe(
      'gpu/burst/gpu.burst.headroom',
    );
    expect(await verdictOf({ 'describe.txt': ENDED('12:00:00', '12:02:00'), 'metrics.txt': metrics })).toBe(
      'gpu/startup/gpu.startup.weights',
    );
  });
  it('fills up while requests run, and then everything was given back', async () => {
    const metrics = (first: number) =>
      `vllm:num_requests_running 1\n{__name__="DCGM_FI_DEV_FB_FREE", gpu="3"} =>\n${first} @[1761731400]\n902 @[1761731415]\n44 @[1761731430]\n81089 @[1761731445]\n`;
    const args = '--max-model-len 131072\n';
    expect(await verdictOf({ 'metrics.txt': metrics(1640), 'args.txt': args })).toBe(
      'gpu/burst/gpu.burst.long-context',
    );
    expect(await verdictOf({ 'metrics.txt': metrics(800), 'args.txt': args })).not.toMatch(/long-context/);
  });
  it('a process that only rose over days, by its rows', async () => {
    const rows = [16420, 17960, 19522, 21080, 22633, 24190].map(
      (mib, day) => `2025/06/1${day} 08:00:00, 9110, lmdeploy, ${mib} MiB`,
    );
    const head = 'timestamp, pid, process_name, used_gpu_memory [MiB]';
    expect(await verdictOf({ 'nvidia-smi.txt': `${[head, ...rows].join('\n')}\n` })).toBe(
      'gpu/chronic/gpu.chronic.leak certain',
    );
  });
  it('what the allocator counts', async () => {
    const counters = (split: string) =>
      `torch_cuda_memory_reserved_bytes{rank="0"} 8.3e+10\ntorch_cuda_memory_inactive_split_bytes{rank="0"} ${split}\ntorch_cuda_num_ooms_total{rank="0"} 12\n`;
    expect(await verdictOf({ 'metrics.txt': counters('3.1e+10') })).toBe('gpu/chronic/gpu.chronic.fragmentation');
    expect(await verdictOf({ 'metrics.txt': counters('1.0e+09') })).not.toMatch(/fragmentation/);
  });
});

describe('the last words of a container in its status', () => {
  const OOM = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.95 GiB.\n';
  const SAMPLER =
    '      Message:   File "/opt/vllm/v1/sample/sampler.py", line 122, in compute_logprobs\n    return logits.log_softmax(dim=-1, dtype=torch.float32)\n';
  const status = (words: string, started: string) =>
    `    Last State:  Terminated\n      Reason:    Error\n${words}${OOM}      Exit Code: 1\n      Started:   Fri, 12 Sep 2025 ${started} +0000\n      Finished:  Fri, 12 Sep 2025 13:22:04 +0000\n`;
  it('date a failure by their frames where the process was old', async () => {
    expect(await verdictOf({ 'describe.txt': status(SAMPLER, '07:01:30') })).toMatch(/^gpu\/burst\/gpu\.burst\.logits/);
  });
  it('near miss - a trial run makes the same calls, and its own frames are cut away', async () => {
    expect(await verdictOf({ 'describe.txt': status(SAMPLER, '13:20:30') })).toMatch(/^gpu\/n\/a\//);
  });
  it('begin with the call of a frame that is cut away', async () => {
    const words =
      '      Message:   m_runner.profile_run()\n  File "/usr/local/lib/python3.12/dist-packages/vllm/model_executor/models/qwen2_vl.py", line 377, in forward\n';
    expect(await verdictOf({ 'describe.txt': status(words, '13:20:30') })).toMatch(
      /^gpu\/startup\/gpu\.startup\.profiling/,
    );
  });
  it.each([
    [
      "      message: 'ValueError: To serve at least one request with the models''s max seq len (131072), 16.00 GiB KV cache is needed, which is larger than the available KV cache memory (5.37 GiB).'\n",
    ],
    [
      '      "message": "Traceback (most recent call last):\\nValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.\\n",\n',
    ],
  ])('quoted by YAML or JSON: %s', async (message) => {
    expect(
      await verdictOf({
        'describe.txt': `    lastState:\n      terminated:\n        exitCode: 1\n${message}        reason: Error\n`,
      }),
    ).toMatch(/^gpu\/startup\/gpu\.startup\.kv-room/);
  });
});
