import type { CheckResult, Plan, Run, StepRecord } from '../../src/model/plan.ts';
import { examplePlan, exampleRun } from '../model/plan-examples.ts';

const AT = examplePlan.proposedAt;
const [scaleDown, gone] = examplePlan.steps;
if (scaleDown?.kind !== 'write' || gone === undefined) throw new Error('no steps');

const args = { op: 'replace' as const, path: '/spec/template/spec/containers/0/args/4', value: '18736' };
const up = { op: 'replace' as const, path: '/spec/replicas', value: 1 };

const DIFF = `--- llm/Deployment/vllm-server\tnow
+++ llm/Deployment/vllm-server\tplanned
@@ -14,7 +14,7 @@
             - --model
             - meta-llama/Llama-3.1-8B-Instruct
             - --max-model-len
-            - "131072"
+            - "18736"
             - --gpu-memory-utilization
             - "0.90"
`;

/** All down: to zero, other arguments, one replica up, watched. */
export const stopBleed: Plan = {
  ...examplePlan,
  action: 'stop-bleed',
  edits: [{ flag: '--max-model-len', from: '131072', to: '18736', why: 'what fits', facts: [] }],
  bounds: [{ flag: '--max-model-len', min: 4684, max: 131_072 }],
  steps: [
    { ...scaleDown, says: 'scale llm/Deployment/vllm-server from 1 to 0' },
    gone,
    { ...scaleDown, n: 3, says: 'set --max-model-len 18736', patch: [args], inverse: [{ ...args, value: '131072' }] },
    { ...scaleDown, n: 4, says: 'scale llm/Deployment/vllm-server from 0 to 1', patch: [up] },
    {
      kind: 'wait',
      n: 5,
      says: 'wait until 1 replica is ready',
      until: 'ready',
      replicas: 1,
      everyMs: 15_000,
      deadlineMs: 1_800_000,
    },
    { kind: 'verify', n: 6, says: 'watch it for 10 min', replicas: 1, forMs: 600_000, everyMs: 30_000 },
  ],
  diff: DIFF,
  serving: { ready: 0, total: 1, stopped: 0 },
  outage: { ms: 68_000, says: 'About 68 s to start (last startup log).' },
  supply:
    '1 GPU per replica becomes free; another workload may take it before the restart. No GPU is free now. No pod is waiting for one.',
  cost: "Requests over 18,736 tokens will get HTTP 400: 4% of the last hour's 12,400 prompts. Output tokens count too.",
  hazards: [{ id: 'uncontested', says: 'Nothing found that would revert this.', done: null, blocks: false }],
};

export const APPROVERS = { groups: ['S_APPROVERS'], users: [] };

const record = (n: number, phase: StepRecord['phase'], over: Partial<StepRecord> = {}): StepRecord => ({
  n,
  phase,
  attempts: phase === 'pending' || phase === 'not-run' ? 0 : 1,
  startedAt: phase === 'pending' ? null : AT + n * 10_000,
  endedAt: phase === 'pending' || phase === 'running' ? null : AT + n * 10_000 + 12_000,
  message: '',
  ...over,
});

/** The steps of `stopBleed`: so many done, the next one in this phase, the others pending. */
export const stepsTo = (done: number, next: StepRecord['phase'], over: Partial<StepRecord> = {}): StepRecord[] =>
  stopBleed.steps.map(({ n }) =>
    n <= done ? record(n, 'done') : n === done + 1 ? record(n, next, over) : record(n, 'pending'),
  );

export const UNDONE: readonly StepRecord[] = stopBleed.steps.map(({ n }) =>
  record(n, n === 2 || n > 4 ? 'done' : 'undone'),
);

const NO_SERIES = 'Prometheus has no series for this pod';
const check = (name: string, answer: CheckResult['answer'], says: string): CheckResult => ({
  check: name,
  answer,
  says,
});

export const CHECKS: readonly CheckResult[] = [
  check('rollout', 'yes', '1 of 1 replicas ready'),
  check('restarts', 'yes', 'no restart since the change'),
  check('oom-signature', 'yes', 'no signature in 120 lines'),
  check('ram', 'yes', '31% of the RAM limit in use, threshold 90%'),
  check('gpu-memory', 'yes', '12% of the fullest GPU free, threshold 2%'),
  check('kv-cache', 'yes', '62% of the KV pool in use, threshold 95%'),
  check('preemptions', 'yes', '0 since the change'),
  check('queue', 'could-not-tell', NO_SERIES),
  check(
    'ttft',
    'yes',
    '900 ms to the first token, P99 of 400 requests since the change, 950 ms in the hour before the incident',
  ),
  check('latency', 'could-not-tell', NO_SERIES),
  check('short-requests', 'could-not-tell', NO_SERIES),
];

const failedCheck = (says: string): CheckResult[] =>
  CHECKS.map((one) => (one.check === 'oom-signature' ? { ...one, answer: 'no', says } : one));

const base: Run = { ...exampleRun, steps: [], checks: [], updatedAt: AT + 91_000 };
const ROLLED_BACK =
  'All changes are rolled back; 0 of 1 replicas ready. Why: check failed: OOM in the log: new CUDA OOM in vllm-server-6gkz7.';

/** Runs of `stopBleed` in every state. */
export const RUNS: Readonly<Record<string, Run>> = {
  queued: { ...base, state: 'queued' },
  starting: { ...base, steps: stepsTo(4, 'running', { message: '0 of 1 ready' }) },
  watching: { ...base, steps: stepsTo(5, 'running'), checks: [...CHECKS] },
  'asked to abort': { ...base, steps: stepsTo(4, 'running'), command: 'abort', commandBy: 'U_APPROVER' },
  'rolling back': {
    ...base,
    state: 'compensating',
    steps: stepsTo(5, 'failed'),
    checks: failedCheck('x'),
    outcome: 'Why: check failed: x.',
  },
  done: { ...base, state: 'done', outcome: 'All steps done.', steps: stepsTo(6, 'done'), checks: [...CHECKS] },
  unverified: {
    ...base,
    state: 'done',
    outcome: 'Applied, not verified.',
    steps: stepsTo(6, 'done'),
    checks: CHECKS.map(({ check: name }) => check(name, 'could-not-tell', 'Prometheus did not answer')),
  },
  failed: {
    ...base,
    state: 'failed',
    outcome: 'Check failed: OOM in the log: new CUDA OOM in vllm-server-6gkz7.',
    steps: stepsTo(5, 'failed'),
    checks: failedCheck('new CUDA OOM in vllm-server-6gkz7'),
  },
  halfway: {
    ...base,
    state: 'failed',
    outcome: 'A step failed: the API server refused it. Now: 2 of 6 steps done, replicas 0 (1 before), 0 ready.',
    steps: stepsTo(2, 'failed'),
  },
  'rolled back': { ...base, state: 'rolled-back', outcome: ROLLED_BACK, steps: [...UNDONE], checks: failedCheck('x') },
  aborted: { ...base, state: 'aborted', outcome: 'Aborted: requested by U_APPROVER.', steps: stepsTo(1, 'failed') },
};
