type Told = { readonly name: string; readonly image: string; readonly killed?: boolean; readonly code: number };

/** What `docker inspect` prints of one container, shortened (moby api/types/container, State and HostConfig). */
export const dockerContainer = ({ name, image, killed, code }: Told) => ({
  Id: 'b7c0f4a1d2',
  Created: '2026-09-14T10:00:01.123456789Z',
  Path: 'vllm',
  Args: ['serve', 'Qwen/Qwen3-8B', '--max-model-len', '8192'],
  State: {
    Status: 'exited',
    Running: false,
    ...(killed !== undefined && { OOMKilled: killed }),
    Dead: false,
    Pid: 0,
    ExitCode: code,
    Error: '',
    StartedAt: '2026-09-14T10:00:02.123456789Z',
    FinishedAt: '2026-09-14T19:02:44.642Z',
    Health: { Status: 'unhealthy', FailingStreak: 3, Log: [{ ExitCode: 1, Output: 'curl: (7) Failed to connect' }] },
  },
  Image: 'sha256:0f1e2d3c4b5a',
  Name: `/${name}`,
  RestartCount: 0,
  HostConfig: { Memory: 34359738368, MemoryReservation: 0, MemorySwap: -1, OomKillDisable: null, ShmSize: 67108864 },
  Config: { Hostname: 'b7c0f4a1d2', Env: ['PATH=/usr/bin'], Image: image },
});

/** What `crictl inspect` prints, shortened (cri-api runtime/v1, ContainerStatus). */
export const criContainer = ({ name, image, killed, code }: Told) => ({
  status: {
    id: '87d3992f84f74',
    metadata: { attempt: 1, name },
    state: 'CONTAINER_EXITED',
    startedAt: '2026-09-14T10:00:02.123456789Z',
    finishedAt: '2026-09-14T19:02:44.642Z',
    exitCode: code,
    image: { image },
    reason: killed === true ? 'OOMKilled' : 'Error',
    message: '',
    labels: { 'io.kubernetes.container.name': name },
    resources: { linux: { memoryLimitInBytes: '34359738368' } },
  },
  info: { pid: 0, config: { linux: { resources: { memory_limit_in_bytes: 34359738368 } } } },
});
