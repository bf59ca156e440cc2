import type { Files } from './incident.ts';

/** The end of a container. */
export const ended = (reason: string, exitCode: number, startedAt?: string, finishedAt?: string) => ({
  terminated: { reason, exitCode, startedAt, finishedAt },
});

export const running = (startedAt?: string) => ({ running: { startedAt } });

type Parts = {
  readonly metadata?: object;
  readonly node?: string;
  readonly container?: { readonly name?: string; readonly [key: string]: unknown };
  /** Of its container: how it ended and what it is at now. */
  readonly status?: object;
  /** Of the other containers. */
  readonly others?: readonly object[];
};

/** The file of a pod of one container of vLLM that was restarted once; the parts state what the test is about. */
export function podFile({ metadata, node, container, status, others = [] }: Parts): Files {
  const own = { name: 'vllm', image: 'vllm/vllm-openai:v0.11.0', ...container };
  const pod = {
    kind: 'Pod',
    metadata: { name: 'vllm-0', namespace: 'llm', ...metadata },
    spec: { nodeName: node, containers: [own] },
    status: { phase: 'Running', containerStatuses: [{ name: own.name, restartCount: 1, ...status }, ...others] },
  };
  return { 'pod.json': JSON.stringify(pod) };
}
