import { EventsFile, type Placed, parseJsonFile } from '../../../src/model/json-file.ts';
import { type Event, Pod } from '../../../src/model/kubernetes.ts';

export const CREATED = Date.parse('2026-03-01T10:00:00Z');

export function time(secondsAfterCreation: number): string {
  return new Date(CREATED + secondsAfterCreation * 1000).toISOString().replace('.000Z', 'Z');
}

export type Ended = {
  readonly reason?: string;
  readonly exitCode?: number;
  readonly from?: number;
  readonly to?: number;
};

/** A termination; times are seconds after the creation of the pod. */
export function ended({ reason = 'Error', exitCode = 1, from = 10, to = 600 }: Ended = {}): object {
  return {
    terminated: { reason, exitCode, startedAt: time(from), finishedAt: time(to), containerID: 'containerd://abc' },
  };
}

type Parts = {
  readonly metadata?: object;
  readonly spec?: object;
  readonly container?: object;
  readonly status?: object;
  readonly containerStatus?: object;
  readonly ready?: { readonly status: string; readonly since: number };
};

/** A full pod of one vLLM container that waits in CrashLoopBackOff after one death; the parts state what the test is about. */
export function aPod(parts: Parts = {}): Pod {
  const { ready = { status: 'False', since: 600 } } = parts;
  const raw = {
    metadata: {
      name: 'vllm-7d8f6f9c6b-4mnl2',
      namespace: 'ai',
      uid: 'uid-1',
      creationTimestamp: time(0),
      ...parts.metadata,
    },
    spec: {
      nodeName: 'gpu-1',
      terminationGracePeriodSeconds: 30,
      containers: [
        {
          name: 'vllm',
          image: 'vllm/vllm-openai:v0.11.0',
          args: ['--model', 'some/model'],
          resources: {
            limits: { memory: '32Gi', 'nvidia.com/gpu': '1' },
            requests: { memory: '32Gi', 'nvidia.com/gpu': '1' },
          },
          ...parts.container,
        },
      ],
      ...parts.spec,
    },
    status: {
      phase: 'Running',
      conditions: [{ type: 'Ready', status: ready.status, lastTransitionTime: time(ready.since) }],
      containerStatuses: [
        {
          name: 'vllm',
          restartCount: 1,
          ready: false,
          state: { waiting: { reason: 'CrashLoopBackOff' } },
          lastState: ended(),
          ...parts.containerStatus,
        },
      ],
      ...parts.status,
    },
  };
  return Pod.parse(raw);
}

export type AnEvent = {
  readonly reason: string;
  readonly message?: string;
  readonly at?: number;
  readonly kind?: string;
  readonly name?: string;
  readonly container?: string;
  readonly count?: number;
};

export function events(...list: readonly AnEvent[]): readonly Placed<Event>[] {
  const raw = list.map(
    ({ reason, message, at = 600, kind = 'Pod', name = 'vllm-7d8f6f9c6b-4mnl2', container, count }) => ({
      reason,
      message,
      count,
      lastTimestamp: time(at),
      involvedObject: {
        kind,
        name,
        ...(container === undefined ? {} : { fieldPath: `spec.containers{${container}}` }),
      },
    }),
  );
  const file = parseJsonFile(EventsFile, JSON.stringify(raw));
  if (file.kind === 'bad') throw new Error(file.detail);
  return file.value;
}

/** The value that a JSON pointer leads to. */
export function at(json: unknown, pointer: string): unknown {
  let value = json;
  for (const word of pointer.slice(1).split('/')) {
    const key = word.replaceAll('~1', '/').replaceAll('~0', '~');
    value = typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  }
  return value;
}
