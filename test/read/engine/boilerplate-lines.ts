/** Lines that speak of memory and tell nothing: advice, lists of guesses, echoes of settings, words of users, shutdown noise. */
export const BOILERPLATE: readonly (readonly [what: string, line: string])[] = [
  [
    'advice of the allocator',
    'If reserved but unallocated memory is large try setting PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.  See documentation for Memory Management  (https://pytorch.org/docs/stable/notes/cuda.html#environment-variables)',
  ],
  [
    'advice of the old allocator',
    'If reserved memory is >> allocated memory try setting max_split_size_mb to avoid fragmentation.  See documentation for Memory Management and PYTORCH_CUDA_ALLOC_CONF',
  ],
  [
    'advice on CUDA graphs',
    'INFO 06-05 10:00:00 model_runner.py:1024] CUDA graphs can take additional 1~3 GiB memory per GPU. If you are running out of memory, consider decreasing `gpu_memory_utilization` or enforcing eager mode. You can also reduce the `max_num_seqs` as needed to decrease memory usage.',
  ],
  [
    'advice on capture',
    'INFO 02-17 19:15:13 model_runner.py:1415] If out-of-memory error occurs during cudagraph capture, consider decreasing `gpu_memory_utilization` or switching to eager mode. You can also reduce the `max_num_seqs` as needed to decrease memory usage.',
  ],
  [
    "Ray's list of guesses",
    'There are some potential root causes. (1) The process is killed by SIGKILL by OOM killer due to high memory usage. (2) ray stop --force is called. (3) The worker is crashed unexpectedly due to SIGSEGV or other unexpected errors.',
  ],
  [
    "Ray's list of guesses, since 2.5x",
    'Worker unexpectedly exits with a connection error code 2. End of file. Some common causes include: (1) the process was killed by the OOM killer due to high memory usage, (2) ray stop --force was called, or (3) the worker crashed unexpectedly due to SIGSEGV or another unexpected error. If the process was killed by the kernel OOM killer (verifiable by checking for OOM in dmesg of the OOMing node), consider enabling resource isolation via --enable-resource-isolation to prevent node deaths by resource contention and significant loss of progress by uninformed kernel OOM killing.',
  ],
  [
    'a guess at exit code -9',
    'If exit code is -9 (SIGKILL), a common cause is the OS OOM killer. Run `dmesg -T | grep -i oom` to check.',
  ],
  [
    'a warning about swap space',
    'WARNING 05-01 10:00:00 config.py:1] Possibly too large swap space. 8.00 GiB out of the 15.55 GiB total CPU memory is allocated for the swap space.',
  ],
  ['a copy in RAM that was not made', '[2026-07-10 10:00:00 TP0] Not enough host memory for request 8a1b2c3d'],
  [
    'a low limit of open files',
    'WARNING 11-22 00:32:41 [system_utils.py:255] Found ulimit of 20000 and failed to automatically increase with error current limit exceeds maximum limit. This can cause fd limit errors like `OSError: [Errno 24] Too many open files`. Consider increasing with ulimit -n',
  ],
  ['advice on stack dumps', 'Set PYTHONFAULTHANDLER=1 or call faulthandler.enable() to see where it crashed.'],
  ['an engine that was put to sleep', 'INFO 01-05 10:11:23 [abstract.py:306] It took 2.500000 seconds to fall asleep.'],
  ['an engine that woke', 'INFO 01-05 10:12:23 [abstract.py:330] It took 0.800000 seconds to wake up.'],
  [
    'an echo of arguments',
    "INFO 12-17 02:30:00 api_server.py:586] args: Namespace(host='0.0.0.0', port=8000, served_model_name=['out-of-memory: CUDA out of memory. Tried to allocate 2.00 GiB'], middleware=['OOMKilled'])",
  ],
  [
    'an echo of what was set',
    "INFO 07-10 10:00:05 [cli_args.py:309] non-default args: {'host': '0.0.0.0', 'served_model_name': ['No available memory for the cache blocks', 'torch.OutOfMemoryError: CUDA out of memory']}",
  ],
  [
    "a user's words",
    "DEBUG 07-10 10:00:00 [serving_chat.py:99] body {'messages': [{'role': 'user', 'content': 'why do I get torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 20.00 GiB, and then OOMKilled with exit code 137, Killed process 12 (python)?'}]}",
  ],
  [
    'noise of the shutdown',
    '/usr/lib/python3.12/multiprocessing/resource_tracker.py:254: UserWarning: resource_tracker: There appear to be 1 leaked shared_memory objects to clean up at shutdown',
  ],
];
