import { expect, it } from 'vitest';
import type { KubeHttp } from '../../src/kubernetes/api/http.ts';
import { createWorkloadPods } from '../../src/kubernetes/workload-pods.ts';
import { aReadContext } from '../fakes/read-context.ts';

const NOW = Date.UTC(2026, 0, 15, 3, 0, 0);
const HASH = '7d8f6f9c6b';
const POD = `vllm-server-${HASH}-4mnl2`;

type Row = readonly [name: string, ready: string, status: string, restarts: string, owner?: string];

/** As a pod of the Deployment that its owner is named after, or bare. */
function aRow([name, ready, status, restarts, owner]: Row) {
  const labels = { 'pod-template-hash': HASH };
  const ownerReferences =
    owner === undefined ? [] : [{ kind: 'ReplicaSet', name: `${owner}-${HASH}`, controller: true }];
  const metadata = {
    name,
    namespace: 'llm',
    uid: name,
    creationTimestamp: '2026-01-15T01:00:00Z',
    labels,
    ownerReferences,
  };
  return { cells: [name, ready, status, restarts, '2h'], object: { metadata } };
}

function read(rows: readonly Row[], workload = 'Deployment/vllm-server', more: object = {}) {
  const columnDefinitions = ['Name', 'Ready', 'Status', 'Restarts', 'Age'].map((name) => ({ name }));
  const getJson = async () => ({ kind: 'ok', body: { columnDefinitions, rows: rows.map(aRow) }, ...more });
  const http = { getJson } as unknown as KubeHttp;
  return createWorkloadPods(http, { now: () => NOW }).read({ namespace: 'llm', workload, pod: POD }, aReadContext());
}

it('reads the pods of a workload, whether they are ready, and when they were restarted last', async () => {
  const answer = await read([
    [POD, '1/1', 'Running', '3 (5m ago)', 'vllm-server'],
    ['vllm-server-x', '0/1', 'CrashLoopBackOff', '9 (2d4h ago)', 'vllm-server'],
    ['other', '0/1', 'Pending', '0', 'embedder'],
  ]);

  const createdAt = Date.UTC(2026, 0, 15, 1);
  expect(answer).toEqual({
    kind: 'read',
    pods: [
      { name: POD, ready: true, createdAt, restartedAt: NOW - 5 * 60_000, restarts: 3 },
      { name: 'vllm-server-x', ready: false, createdAt, restartedAt: NOW - 52 * 3_600_000, restarts: 9 },
    ],
  });
});

it('finds them by the name of the pod where the top owner has another name, and passes over those that are over', async () => {
  const answer = await read(
    [
      [POD, '1/1', 'Running', '0', 'vllm-server'],
      ['evicted', '0/1', 'Evicted', '0', 'vllm-server'],
      ['leaving', '1/1', 'Terminating', '0', 'vllm-server'],
    ],
    'InferenceService/chat',
  );

  expect(answer).toMatchObject({ kind: 'read', pods: [{ name: POD, restartedAt: undefined }] });
});

it('says why they cannot be read', async () => {
  const failure = { reason: 'forbidden', code: 'forbidden', detail: 'missing right: list pods in llm' };

  expect(await read([], undefined, { kind: 'failed', failure })).toEqual({ kind: 'unknown', why: failure.detail });
});
