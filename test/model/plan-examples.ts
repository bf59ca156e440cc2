import type { Plan, PlanTarget, Run } from '../../src/model/plan.ts';
import { exampleIncident, exampleVerdict } from './examples.ts';

const AT = exampleIncident.openedAt;
const TARGET: PlanTarget = {
  cluster: 'prod',
  object: {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespace: 'llm',
    name: 'vllm-server',
    uid: '0b0f4d2c-5a57-4d0c-9b7a-7f2c6a0b9f10',
  },
  container: 'vllm',
};

export const examplePlan: Plan = {
  id: 'plan_00000000000000000001',
  incidentId: exampleIncident.id,
  action: 'scale-to-zero',
  profile: null,
  target: TARGET,
  edits: [],
  bounds: [],
  replicas: null,
  steps: [
    {
      kind: 'write',
      n: 1,
      says: 'scale Deployment/vllm-server from 2 to 0',
      object: TARGET.object,
      subresource: 'none',
      patch: [
        { op: 'test', path: '/spec/replicas', value: 2 },
        { op: 'replace', path: '/spec/replicas', value: 0 },
      ],
      inverse: [
        { op: 'test', path: '/spec/replicas', value: 0 },
        { op: 'replace', path: '/spec/replicas', value: 2 },
      ],
      command: 'kubectl -n llm scale deployment/vllm-server --current-replicas=2 --replicas=0',
      inverseCommand: 'kubectl -n llm scale deployment/vllm-server --current-replicas=0 --replicas=2',
    },
    {
      kind: 'wait',
      n: 2,
      says: 'wait until no pods are left',
      until: 'no-pods',
      replicas: 0,
      everyMs: 10_000,
      deadlineMs: 600_000,
    },
  ],
  diff: '-  replicas: 2\n+  replicas: 0\n',
  serving: { ready: 0, total: 2, stopped: 0 },
  outage: { ms: null, says: 'Down until someone scales it up again.' },
  supply: 'Two GPUs become free; who takes them is not known.',
  cost: 'All requests fail while it is at 0.',
  hazards: [],
  notRuledOut: exampleVerdict.notRuledOut,
  certain: exampleVerdict.certain,
  causeCertain: exampleVerdict.causeCertain,
  confirm: null,
  approvals: 1,
  hash: 'c0ffee',
  proposedBy: 'U_ONCALL',
  proposedAt: AT,
  expiresAt: AT + 900_000,
  state: 'proposed',
};

export const exampleRun: Run = {
  id: 'run_00000000000000000001',
  planId: examplePlan.id,
  incidentId: examplePlan.incidentId,
  target: TARGET,
  state: 'running',
  steps: [
    { n: 1, phase: 'done', attempts: 1, startedAt: AT, endedAt: AT + 900, message: 'written' },
    { n: 2, phase: 'running', attempts: 1, startedAt: AT + 900, endedAt: null, message: '1 pod left' },
  ],
  checks: [],
  command: 'none',
  commandBy: null,
  startedBy: 'U_APPROVER',
  outcome: null,
  startedAt: AT,
  updatedAt: AT + 900,
};
