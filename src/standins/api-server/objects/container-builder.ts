import { createHash } from 'node:crypto';

/** How an instance of a container ended. Times are epoch ms. */
export type DeathOptions = {
  readonly reason?: string;
  readonly exitCode?: number;
  readonly startedAt: number;
  readonly finishedAt: number;
  readonly message?: string;
  readonly containerID?: string;
};

export type ContainerOptions = {
  readonly name?: string;
  readonly image?: string;
  /** Start of the id of its instances; the name, unless told otherwise. */
  readonly id?: string;
  readonly command?: readonly string[];
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly gpus?: number;
  /** Limit and request of memory. */
  readonly memory?: string;
  readonly ports?: readonly number[];
  readonly probes?: Readonly<Record<string, unknown>>;
  readonly restarts?: number;
  /** Since when it runs, epoch ms. */
  readonly runningSince?: number;
  /** Why it waits: `CrashLoopBackOff`. */
  readonly waiting?: string;
  /** It stands terminated, not restarted yet. */
  readonly ended?: DeathOptions;
  /** How the instance before ended. */
  readonly lastDeath?: DeathOptions;
};

const ENGINE_ARGS = ['--model', 'meta-llama/Llama-3.1-8B-Instruct', '--max-model-len', '32768'];

export function containerSpec(options: ContainerOptions) {
  const {
    name = 'vllm',
    gpus = name === 'vllm' ? 1 : 0,
    memory = '64Gi',
    ports = name === 'vllm' ? [8000] : [],
  } = options;
  const amounts = { memory, ...(gpus > 0 && { 'nvidia.com/gpu': String(gpus) }) };
  return {
    name,
    image: options.image ?? (name === 'vllm' ? 'vllm/vllm-openai:v0.11.0' : `example.test/${name}:1.0`),
    ...(options.command && { command: options.command }),
    args: options.args ?? (name === 'vllm' ? ENGINE_ARGS : []),
    ...(options.env && { env: options.env }),
    ...(ports.length > 0 && { ports: ports.map((containerPort) => ({ containerPort, protocol: 'TCP' })) }),
    resources: { limits: amounts, requests: amounts },
    ...options.probes,
  };
}

/** The status of a container: running, unless it waits or has ended. */
export function aContainerStatus(options: ContainerOptions) {
  const { name = 'vllm', waiting, ended, lastDeath, runningSince = Date.UTC(2026, 0, 15, 2, 30, 0) } = options;
  const { id = name } = options;
  const runs = waiting === undefined && ended === undefined;
  const restarts = options.restarts ?? (lastDeath === undefined ? 0 : 1);
  const state = runs
    ? { running: { startedAt: iso(runningSince) } }
    : ended === undefined
      ? { waiting: { reason: waiting } }
      : { terminated: terminated(ended, id, restarts) };
  return {
    name,
    ready: runs,
    started: runs,
    restartCount: restarts,
    image: options.image ?? 'vllm/vllm-openai:v0.11.0',
    imageID: imageIdOf(options.image ?? 'vllm/vllm-openai:v0.11.0'),
    containerID: `containerd://${id}-${restarts}`,
    state,
    lastState: lastDeath === undefined ? {} : { terminated: terminated(lastDeath, id, restarts - 1) },
  };
}

// Where an image came from, by its digest, as containerd reports it.
function imageIdOf(image: string): string {
  const repository = image.replace(/:[^:/]+$/, '');
  const isOfHub = !(repository.split('/')[0] ?? '').includes('.');
  return `${isOfHub ? 'docker.io/' : ''}${repository}@sha256:${createHash('sha256').update(image).digest('hex')}`;
}

function terminated(death: DeathOptions, id: string, nth: number) {
  const { reason = 'Error', exitCode = 1, startedAt, finishedAt, message } = death;
  return {
    reason,
    exitCode,
    startedAt: iso(startedAt),
    finishedAt: iso(finishedAt),
    containerID: death.containerID ?? `containerd://${id}-${nth}`,
    ...(message !== undefined && { message }),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
