import { expect, it } from 'vitest';
import { logged, verdictOfFiles } from '../incident.ts';

const verdictOf = (...lines: readonly string[]) => verdictOfFiles(logged(...lines));

const SERVES = 'slot update_slots: id  1 | task 40 | prompt processing progress, n_tokens = 9216, progress = 0.4';
const CRASH = 'Aborted (core dumped)';

it.each([
  ['the pool stands below it', [SERVES, CRASH, '  ggml_cuda_device_malloc(&ptr, look_ahead_size, device)']],
  [
    'the frame is of another function',
    [SERVES, 'CUDA error', '#5  ggml_cuda_mul_mat_q(int) () from libggml.so', CRASH],
  ],
  [
    'the device says what else it was',
    [
      SERVES,
      'ROCm error: an illegal memory access was encountered',
      '  current device: 0, in function alloc at x.cu:1',
    ],
  ],
])('a crash below a pool of ggml that could not grow is none where %s', async (_, lines) => {
  expect((await verdictOf(...lines)).plane).not.toBe('gpu');
});

const log = (free: string, end: string) => [
  `time=2025-05-22T19:03:11Z level=INFO source=server.go:135 msg="system memory" total="62.7 GiB" free="${free}" free_swap="0 B"`,
  'time=2025-05-22T19:03:11Z level=INFO source=server.go:168 msg=offload library=cuda layers.requested=-1 layers.model=49 layers.offload=4 layers.split="" memory.available="[10.9 GiB]" memory.gpu_overhead="0 B" memory.required.full="69.5 GiB" memory.required.partial="10.6 GiB"',
  `time=2025-05-22T19:04:36Z level=ERROR source=sched.go:489 msg="error loading llama server" error="llama runner process has terminated${end}`,
];

it.each([
  ['there was more', log('120.4 GiB', ': sign')],
  ['nothing ended', log('59.6 GiB', ': sign').slice(0, 2)],
  ['the device refused', log('59.6 GiB', ': cudaMalloc failed: out of memory"')],
])('what the plan of Ollama leaves in RAM is none where %s', async (_, lines) => {
  expect((await verdictOf(...lines)).plane).not.toBe('host');
});
