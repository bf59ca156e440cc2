import type { Citation } from '../../src/model/citation.ts';
import type { DomainEvent } from '../../src/model/events.ts';
import type { Fact, FactEntry } from '../../src/model/fact.ts';
import type { Incident, TriageRun } from '../../src/model/incident.ts';
import type { Capture, SeriesFile, Snapshot } from '../../src/model/snapshot.ts';
import type { Diagnosis, Remedy, Verdict } from '../../src/model/verdict.ts';

// One full example of every contract: the contract tests parse them, the docs show them. They belong together: one
// vLLM pod whose GPU memory ran out while it captured graphs. 03:00 UTC on 15 January 2026.
const AT = Date.UTC(2026, 0, 15, 3, 0, 0);
const DIED_AT = AT - 60_000;
const OOM_LINE =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 224.00 MiB. GPU 0 has a total capacity of 79.15 GiB of which 94.31 MiB is free.';
const AGENT = { cluster: 'prod', namespace: 'llm', pod: 'vllm-server-7d8f6f9c6b-4mnl2' } as const;
const WORKLOAD = 'Deployment/vllm-server';

export const exampleCitations: readonly Citation[] = [
  { kind: 'line', file: 'vllm.previous.log', line: 2, text: OOM_LINE },
  { kind: 'field', file: 'pod.json', path: '/status/containerStatuses/0/lastState/terminated/exitCode', text: '1' },
  { kind: 'sample', file: 'series.json', series: 'gpu.framebuffer.used', at: DIED_AT, value: 84_000_000_000 },
];
const [LINE, FIELD] = exampleCitations as readonly [Citation, Citation, Citation];

export const exampleKnownFact: Fact = { kind: 'known', value: true, from: [LINE], at: DIED_AT };
export const exampleUnknownFact: Fact = {
  kind: 'unknown',
  reason: 'unreachable',
  detail: 'Prometheus did not answer within 5 s',
};
export const exampleFactEntry: FactEntry = {
  id: 'death.container-role',
  unit: 'choice',
  values: ['engine', 'init', 'sidecar'],
  says: 'role of that container',
  needs: 'the pod status (pod.json or describe.txt)',
};

export const exampleCapture: Capture = {
  version: '0.1.0',
  takenAt: AT,
  ...AGENT,
  podUid: '6f1c1f2e-0a52-4d3c-9a53-2d2f5c1f0a11',
  container: 'vllm',
  workload: WORKLOAD,
  replacedPod: null,
  logs: [
    {
      file: 'vllm.previous.log',
      container: 'vllm',
      previous: true,
      readBytes: 4096,
      keptBytes: 4000,
      totalBytes: null,
      parts: ['head', 'crash'],
      cut: 'the middle was not read',
    },
  ],
  notRead: [{ item: 'gpu.temperature', reason: 'empty', detail: 'no series with this pod' }],
  cost: { calls: 12, logCalls: 2, bytes: 120_000, wallMs: 640, chainMs: 510 },
};

export const exampleSeriesFile: SeriesFile = {
  from: DIED_AT - 3_600_000,
  to: DIED_AT + 120_000,
  stepMs: 15_000,
  series: [
    {
      id: 'container.memory.working-set',
      unit: 'bytes',
      labels: { pod: AGENT.pod, container: 'vllm' },
      query: 'container_memory_working_set_bytes{namespace="llm",pod="vllm-server-7d8f6f9c6b-4mnl2"}',
      points: [
        [DIED_AT - 15_000, 21_000_000_000],
        [DIED_AT, 21_500_000_000],
      ],
    },
  ],
  unknown: [{ item: 'gpu.temperature', reason: 'not-exposed', detail: 'no series of this name' }],
};

export const exampleSnapshot: Snapshot = {
  id: 'snap_00000000000000000001',
  files: {
    'incident.json': JSON.stringify({ capture: exampleCapture }),
    'series.json': JSON.stringify(exampleSeriesFile),
    'vllm.previous.log': `INFO Capturing CUDA graphs\n${OOM_LINE}\n`,
  },
};

export const exampleRemedy: Remedy = {
  action: 'set-args',
  says: 'Capture graphs for smaller batches, so that less memory is taken for them.',
  edits: [{ flag: '--max-num-seqs', from: '256', to: '64', why: 'fewer graphs', facts: ['engine.max-num-seqs'] }],
  direction: 'lower',
  kind: 'stop-bleed',
};

export const exampleVerdict: Verdict = {
  id: exampleSnapshot.id,
  plane: 'gpu',
  phase: 'startup',
  cause: 'gpu.startup.graph-capture',
  certain: false,
  causeCertain: false,
  notRuledOut: [
    {
      branch: 'which-memory/both',
      finding: 'both-planes',
      missing: [{ fact: 'kernel.oom-kill', reason: 'not-in-snapshot', needs: 'the kernel log (kernel.txt)' }],
    },
  ],
  alternatives: ['gpu.startup.utilization'],
  finding: 'gpu-startup-graphs',
  evidence: [{ says: 'The allocation failed on GPU 0.', fact: 'gpu.oom-logged', from: [LINE, FIELD] }],
  remedies: [exampleRemedy],
};

export const exampleDiagnosis: Diagnosis = {
  verdict: exampleVerdict,
  says: 'GPU memory ran out while graphs were captured.',
  bucket: 'overhead',
  path: [
    {
      question: 'which-memory',
      ask: 'Which memory ran out?',
      branch: 'gpu',
      answer: 'yes',
      conditions: [
        {
          text: 'gpu.oom-logged is true',
          says: 'a line proves that GPU memory ran out',
          fact: 'gpu.oom-logged',
          seen: 'true',
          answer: 'yes',
          depth: 0,
        },
      ],
    },
  ],
  next: ['Look at the kernel log of the node.'],
  playbook: { name: 'oom', version: 1, hash: 'c0ffee' },
};

export const exampleIncident: Incident = {
  id: 'inc_00000000000000000001',
  key: '0123456789abcdef0123456789abcdef',
  ...AGENT,
  workload: WORKLOAD,
  plane: 'gpu',
  phase: 'startup',
  cause: 'gpu.startup.graph-capture',
  certain: false,
  causeCertain: false,
  state: 'open',
  seen: 1,
  openedAt: AT,
  lastSeenAt: AT,
  closedAt: null,
  closedBy: null,
  closedWhy: null,
  reopenedAt: null,
  ackBy: null,
  ackAt: null,
};

export const exampleTriageRun: TriageRun = {
  id: 'tri_00000000000000000001',
  incidentId: null,
  query: 'llm/vllm-server-7d8f6f9c6b-4mnl2',
  cluster: 'prod',
  asker: 'U_ONCALL',
  externallyShared: false,
  conversation: 'C_LLM',
  ts: null,
  state: 'running',
  outcome: null,
  startedAt: AT,
  endedAt: null,
};

const base = { at: AT, incidentId: exampleIncident.id, actor: 'U_ONCALL' } as const;

export const exampleEvents: readonly DomainEvent[] = [
  { kind: 'incident-opened', ...base, workload: WORKLOAD },
  { kind: 'incident-seen-again', ...base, seen: 2 },
  { kind: 'verdict-given', ...base, snapshotId: exampleSnapshot.id, verdict: exampleVerdict },
  { kind: 'plan-made', ...base, planId: 'plan_00000000000000000001', hash: 'c0ffee' },
  { kind: 'approval-given', ...base, actor: 'U_APPROVER', planId: 'plan_00000000000000000001', decision: 'approve' },
  {
    kind: 'approval-lapsed',
    ...base,
    actor: 'U_APPROVER',
    planId: 'plan_00000000000000000001',
    why: 'may no longer approve set-args in llm',
  },
  { kind: 'plan-ended', ...base, planId: 'plan_00000000000000000002', state: 'replaced' },
  { kind: 'run-queued', ...base, runId: 'run_00000000000000000001', planId: 'plan_00000000000000000001' },
  { kind: 'run-changed', ...base, runId: 'run_00000000000000000001', state: 'running', outcome: null },
  { kind: 'run-commanded', ...base, runId: 'run_00000000000000000001', command: 'abort' },
  { kind: 'step-done', ...base, runId: 'run_00000000000000000001', step: 1, outcome: 'ok' },
  { kind: 'verified', ...base, runId: 'run_00000000000000000001', answer: 'could-not-tell' },
  { kind: 'incident-closed', ...base, why: 'the workload has been well for an hour' },
  { kind: 'change-entered', ...base, changeId: 'chg_00000000000000000001', runId: 'run_00000000000000000001' },
  { kind: 'change-moved', ...base, changeId: 'chg_00000000000000000001', state: 'reverted', why: null },
  { kind: 'change-extended', ...base, changeId: 'chg_00000000000000000001', expiresAt: 1 },
  { kind: 'incident-reopened', ...base, seen: 2 },
  { kind: 'incident-acknowledged', ...base },
  { kind: 'feedback-given', ...base, finding: 'gpu-startup-graphs', right: false, actual: 'not-memory' },
];
