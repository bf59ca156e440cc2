import { expect, it } from 'vitest';
import { isRemarkText } from '../../src/model/citation.ts';

it.each([
  [true, '#2 attempt (same node): RuntimeError: CUDA error'],
  [true, '#2 pod(b): killed by the OOM killer'],
  [true, '#2 run (tp=4)'],
  [false, '#4  0x00007f51 in abort () from libc.so.6'],
  [false, '#5  ggml_cuda_pool_vmm::alloc(unsigned long, unsigned long*) () from libggml-cuda.so.0'],
  [false, '#1  main (argc=1, argv=0x7ffe) at server.cpp:31'],
  [false, '#6  ggml_abort (file=0x7f51 "x.cu", line=7)'],
])('%s: %s', (remark, text) => {
  expect(isRemarkText(text)).toBe(remark);
});
