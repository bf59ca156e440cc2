import { describe, expect, it } from 'vitest';
import type { Cited } from '../../../src/model/engine-reader.ts';
import { type MemoryAccount, readAccount } from '../../../src/read/engine/memory-account.ts';
import { scan } from '../log/scan-text.ts';

const GIB = 1024 ** 3;
const MIB = 1024 ** 2;

const account = (log: string) => readAccount(scan(log));
/** Figures in GiB with two digits, which is what the lines print. */
const gib = (figure: Cited<number> | undefined) => figure && Math.round((figure.value / GIB) * 100) / 100;
const inGib = (of: MemoryAccount | undefined) =>
  of && {
    want: gib(of.want),
    total: gib(of.total),
    free: gib(of.free),
    allocated: gib(of.allocated),
    slack: gib(of.reservedUnallocated),
    pools: gib(of.privatePools),
    allowed: gib(of.allowed),
    unmanaged: gib(of.unmanaged),
    foreign: gib(of.foreign),
  };

const HEAD = 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate';

it.each([
  [
    'sentence, one process under a number of the host: that is its own',
    `${HEAD} 1.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 0.50 GiB is free. Process 23 has 79.00 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by PyTorch, with 0.25 GiB allocated in private pools (e.g., CUDA Graphs), and 2.00 GiB is reserved by PyTorch but unallocated.`,
    { want: 1, total: 80, free: 0.5, allocated: 70, slack: 2, pools: 0.25, unmanaged: 7.5, foreign: 0.5 },
  ],
  [
    'sentence of 2.1 with its misspelling and this process',
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 0.25 GiB. GPU 0 has a total capacty of 16.00 GiB of which 0.50 GiB is free. Including non-PyTorch memory, this process has 13.00 GiB memory in use. Of the allocated memory 12.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.',
    { want: 0.25, total: 16, free: 0.5, allocated: 12, slack: 0.5, unmanaged: 3, foreign: 2.5 },
  ],
  [
    'brackets of before 1.4, where what is cached is not live',
    'RuntimeError: CUDA out of memory. Tried to allocate 1.00 GiB (GPU 0; 32.00 GiB total capacity; 24.50 GiB already allocated; 0.50 GiB free; 5.00 GiB cached)',
    { want: 1, total: 32, free: 0.5, allocated: 24.5, slack: 5, unmanaged: 2 },
  ],
  [
    'sentence whose processes the driver does not count: nothing is known of them',
    `${HEAD} 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0.50 GiB is free. Process 46 has 0 bytes memory in use. Process 52 has 0 bytes memory in use. Of the allocated memory 0 bytes is allocated by PyTorch, and 0 bytes is reserved by PyTorch but unallocated.`,
    { want: 1, total: 8, free: 0.5, allocated: 0, slack: 0, unmanaged: 7.5 },
  ],
  [
    'sentence of 2.2 without the number of the GPU',
    'CUDA out of memory. Tried to allocate 1.00 GiB. GPU  has a total capacity of 24.00 GiB of which 0.75 GiB is free.',
    { want: 1, total: 24, free: 0.75 },
  ],
  [
    'this process and others that were there before',
    `${HEAD} 1.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 0.50 GiB is free. Including non-PyTorch memory, this process has 1.50 GiB memory in use. Process 306 has 2.00 GiB memory in use. Process 2998 has 76.00 GiB memory in use. Of the allocated memory 1.00 GiB is allocated by PyTorch, and 0.25 GiB is reserved by PyTorch but unallocated.`,
    { want: 1, total: 80, free: 0.5, allocated: 1, slack: 0.25, unmanaged: 78.25, foreign: 78 },
  ],
  [
    'several processes: the one that fits what PyTorch owns is its own',
    `${HEAD} 1.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 0.00 GiB is free. Process 1 has 0.25 GiB memory in use. Process 200 has 50.00 GiB memory in use. Process 3000 has 29.50 GiB memory in use. Of the allocated memory 28.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.`,
    { want: 1, total: 80, free: 0, allocated: 28, slack: 0.5, unmanaged: 51.5, foreign: 50.25 },
  ],
  [
    'several processes and nothing that tells which is its own: all but the largest are foreign',
    `${HEAD} 2.00 GiB. GPU 0 has a total capacity of 80.00 GiB of which 1.00 GiB is free. Process 1 has 50.00 GiB memory in use. Process 200 has 3.00 GiB memory in use. Process 3000 has 22.00 GiB memory in use.`,
    { want: 2, total: 80, free: 1, foreign: 25 },
  ],
  [
    'a process whose memory the driver does not tell (WSL2)',
    `${HEAD} 1.00 GiB. GPU 0 has a total capacity of 8.00 GiB of which 0.00 GiB is free. Process 1 has 17179869184.00 GiB memory in use. Of the allocated memory 7.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.`,
    { want: 1, total: 8, free: 0, allocated: 7, slack: 0.5, unmanaged: 0.5 },
  ],
  [
    'a fraction that the program set',
    `${HEAD} 2.00 GiB. GPU 1 has a total capacity of 140.00 GiB of which 0 bytes is free. 126.00 GiB allowed; Of the allocated memory 124.00 GiB is allocated by PyTorch, and 0.50 GiB is reserved by PyTorch but unallocated.`,
    { want: 2, total: 140, free: 0, allocated: 124, slack: 0.5, allowed: 126, unmanaged: 15.5 },
  ],
  [
    'brackets of 1.x and 2.0: what is reserved holds what is allocated',
    'RuntimeError: CUDA out of memory. Tried to allocate 0.50 GiB (GPU 0; 8.00 GiB total capacity; 5.00 GiB already allocated; 0.25 GiB free; 6.00 GiB reserved in total by PyTorch) If reserved memory is >> allocated memory',
    { want: 0.5, total: 8, free: 0.25, allocated: 5, slack: 1, unmanaged: 1.75 },
  ],
  [
    'brackets with a fraction',
    'torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 0.50 GiB (GPU 0; 16.00 GiB total capacity; 14.00 GiB already allocated; 0.25 GiB free; 15.00 GiB allowed; 14.50 GiB reserved in total by PyTorch)',
    { want: 0.5, total: 16, free: 0.25, allocated: 14, slack: 0.5, allowed: 15, unmanaged: 1.25 },
  ],
  [
    'Ascend',
    'RuntimeError: NPU out of memory. Tried to allocate 1.25 GiB (NPU 0; 61.00 GiB total capacity; 58.00 GiB already allocated; 58.00 GiB current active; 1.00 GiB free; 58.50 GiB reserved in total by PyTorch)',
    { want: 1.25, total: 61, free: 1, allocated: 58, slack: 0.5, unmanaged: 1.5 },
  ],
  [
    'the asynchronous allocator, over several lines',
    'torch.cuda.OutOfMemoryError: Allocation on device 0 would exceed allowed memory. (out of memory)\nCurrently allocated     : 14.50 GiB\nRequested               : 0.50 GiB\nDevice limit            : 24.00 GiB\nFree (according to CUDA): 0.25 GiB\nPyTorch limit (set by user-supplied memory fraction)\n                         : 14.75 GiB',
    { want: 0.5, total: 24, free: 0.25, allocated: 14.5, allowed: 14.75 },
  ],
  [
    'hard-wrapped',
    `${HEAD} 1.00\nGiB. GPU 0 has a total capacity of 80.00 GiB of which 0.50 GiB is free. Process 23 has\n 79.00 GiB memory in use. Of the allocated memory 70.00 GiB is allocated by\n PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated.`,
    { want: 1, total: 80, free: 0.5, allocated: 70, slack: 2, unmanaged: 7.5, foreign: 0.5 },
  ],
  ['a wanted size and nothing else', `${HEAD} 2.00 GiB.`, { want: 2 }],
  [
    'the warning of the allocator, in bytes',
    `[rank0]:[W922 05:15:28 CUDACachingAllocator.cpp:1441] memory allocation failed with OOM on device 0 while trying to allocate ${3 * GIB} bytes (free: ${GIB}, total: ${24 * GIB}).`,
    { want: 3, total: 24, free: 1 },
  ],
])('the forms of the line: %s', (_, log, expected) => {
  expect(inGib(account(log))).toEqual(expected);
});

describe('which report is read', () => {
  it('is the first that bears figures', () => {
    const first = `(Worker_TP0 pid=1) ${HEAD} 20.00 MiB. GPU 0 has a total capacity of 80.00 GiB of which 8.00 MiB is free.`;
    const second = `(Worker_TP1 pid=2) ${HEAD} 40.00 MiB. GPU 1 has a total capacity of 40.00 GiB of which 4.00 MiB is free.`;

    expect(account(`${HEAD} 1.00 GiB.\n${first}\n${second}\n`)).toMatchObject({
      gpu: { value: 0 },
      want: { value: 20 * MIB },
      total: { value: 80 * GIB },
      free: { value: 8 * MIB },
    });
  });

  it('does not borrow figures from another process or from a report further down', () => {
    const log = `(Worker_TP0 pid=1) ${HEAD} 20.00 MiB.\n(Worker_TP1 pid=2) Of the allocated memory 70.00 GiB is allocated by PyTorch, and 2.00 GiB is reserved by PyTorch but unallocated.\n`;

    expect(account(log)?.want).toMatchObject({ value: 20 * MIB });
    expect(account(log)?.allocated).toBeUndefined();
  });

  it.each([
    ['no report', 'INFO all is well\n'],
    ['a report without a figure', 'RuntimeError: CUDA error: out of memory\n'],
    ['a report inside a prompt', `INFO Received request c-1: prompt: '${HEAD} 1.00 GiB.'\n`],
  ])('is none: %s', (_, log) => {
    expect(account(log)).toBeUndefined();
  });

  it('cites the line of every figure', () => {
    const log = `first\n${HEAD} 0.50 GiB.\nGPU 0 has a total capacity of 20.00 GiB of which 0.25 GiB is free.\n`;
    const of = account(log);

    expect(of?.want?.from).toEqual({ kind: 'line', file: 'previous.log', line: 2, text: `${HEAD} 0.50 GiB.` });
    expect(of?.total?.from).toMatchObject({
      line: 3,
      text: 'GPU 0 has a total capacity of 20.00 GiB of which 0.25 GiB is free.',
    });
  });
});
