/** The log of a vLLM that came up and answered. */
export const SERVED = [
  'INFO 09-14 10:00:00 [api_server.py:1896] vLLM API server version 0.11.0',
  '(APIServer pid=1) INFO:     Application startup complete.',
  '(APIServer pid=1) INFO:     10.0.0.3:41000 - "POST /v1/chat/completions HTTP/1.1" 200 OK',
];
const CORE = '(EngineCore_DP0 pid=200) ERROR 09-14 14:05:13 [core.py:710]';
export const GPU_OOM = [
  ...SERVED,
  `${CORE} torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 3.71 GiB. GPU 0 has a total capacity of 79.14 GiB of which 1.20 GiB is free.`,
];
export const ASSERTION = [...SERVED, `${CORE} AssertionError: num_computed_tokens is negative`];

/** The log of a vLLM whose step failed on an assertion. */
export const FAILED_ASSERTION = [
  'INFO:     Application startup complete.',
  'ERROR 09-14 14:05:13 [core.py:710] EngineCore encountered a fatal error.',
  'Traceback (most recent call last):',
  '  File "/usr/local/lib/python3.12/dist-packages/vllm/v1/engine/core.py", line 701, in run_engine_core',
  'AssertionError: num_computed_tokens is negative',
  '',
].join('\n');

/** The heading of the events that `kubectl describe` prints. */
export const EVENTS =
  'Events:\n  Type     Reason     Age    From     Message\n  ----     ------     ----   ----     -------\n';

/** A pod that runs again after an end of its container, as `kubectl describe` prints it. */
export function described(
  name: string,
  reason: string,
  exitCode: number,
  container = 'vllm',
  image = 'vllm/vllm-openai:v1',
) {
  return `Name:             ${name}
Namespace:        serving
Node:             gpu-1/10.0.0.9
Status:           Running
Containers:
  ${container}:
    Image:          ${image}
    State:          Running
      Started:      Mon, 14 Sep 2026 14:05:20 +0000
    Last State:     Terminated
      Reason:       ${reason}
      Exit Code:    ${exitCode}
      Started:      Mon, 14 Sep 2026 10:00:00 +0000
      Finished:     Mon, 14 Sep 2026 14:05:15 +0000
    Restart Count:  1
`;
}
