import { DEFAULT_RIGHTS } from './bot-config.ts';
import { atStartup, BURST, KV_ROOM, USUAL_FLAGS } from './common-incidents.ts';
import { CHAT, DONE, flags, SERVER, triageAndApprove, triageAndPlan, triageOnly } from './parts.ts';
import type { Scenario } from './scenario.ts';

const KV_CAUSE = 'gpu.startup.kv-room';

const ARGO_APPLICATION = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'llm-serving', namespace: 'argocd', uid: 'uid-app-llm-serving' },
  spec: { project: 'llm', syncPolicy: { automated: { selfHeal: true, prune: true } } },
};

/** What goes on around an incident: other controllers, permissions, restarts of the bot. */
export const OPERATIONS: readonly Scenario[] = [
  {
    name: 'dead-engine',
    says: 'The engine died of CUDA OOM, its API server goes on: the pod is Ready and answers 500.',
    ...BURST,
    services: [{ ...BURST.services[0], faults: { outlivesCore: true } }],
    happens: [...BURST.happens, { atMinute: 43, kind: 'traffic', service: 'vllm-server', shape: CHAT }],
    steps: triageAndApprove('vllm-server', DONE),
    expect: { cause: 'gpu.burst.headroom', ending: 'applied' },
  },
  {
    name: 'look-alike',
    says: 'Exit code 137 without an OOM: the liveness probe kills the engine while it loads from slow storage.',
    ...atStartup({ ...SERVER, args: flags(USUAL_FLAGS), faults: { livenessSeconds: 60, loadSeconds: 300 } }),
    steps: triageOnly('vllm-server'),
    expect: { cause: 'none.probe-kill', ending: 'none' },
  },
  {
    name: 'half-healthy',
    says: 'One of three replicas finds its GPU half taken; the other two serve.',
    ...atStartup({
      ...SERVER,
      replicas: 3,
      args: flags(USUAL_FLAGS),
      otherProcess: { gib: 41, fromMinute: 0, pods: 1 },
    }),
    historyMinutes: 15,
    steps: triageOnly('vllm-server'),
    expect: { cause: 'gpu.startup.shared-gpu', ending: 'none' },
  },
  {
    name: 'autoscaler-reverts',
    says: 'A home-grown autoscaler sets the replica count back as soon as oombot scales to 0.',
    ...BURST,
    happens: [
      { atMinute: 1, kind: 'revert', service: 'vllm-server', by: 'team-autoscaler', what: 'replicas' },
      ...BURST.happens,
    ],
    steps: triageAndApprove('vllm-server', /was changed by team-autoscaler after this run/),
    expect: { cause: 'gpu.burst.headroom', ending: 'reverted' },
  },
  {
    name: 'argo-self-heal',
    says: 'Argo CD self-heals the workload: oombot shows the diff for Git and changes nothing.',
    ...KV_ROOM,
    services: [
      {
        ...KV_ROOM.services[0],
        annotations: { 'argocd.argoproj.io/tracking-id': 'llm-serving:apps/Deployment:llm/vllm-server' },
        objects: [ARGO_APPLICATION],
      },
    ],
    happens: [{ atMinute: 1, kind: 'revert', service: 'vllm-server', by: 'argocd-controller', what: 'spec' }],
    steps: [...triageAndPlan('vllm-server'), { kind: 'until', says: /Argo CD self-heals/ }],
    expect: { cause: KV_CAUSE, ending: 'none' },
  },
  {
    name: 'failed-verification',
    says: 'The raised memory limit is still too low for the checkpoint: oombot rolls the change back.',
    ...atStartup({ ...SERVER, memory: '10Gi', args: flags({ ...USUAL_FLAGS, '--load-format': 'pt' }) }),
    acting: ['rollBack: automatic'],
    steps: triageAndApprove('vllm-server', /^(?:Failed|Rolled back)/),
    expect: { cause: 'host.startup.weight-staging', ending: 'rolled-back' },
  },
  {
    name: 'approver-without-permission',
    says: 'A stranger clicks Apply and is refused; an approver applies.',
    ...KV_ROOM,
    steps: [
      ...triageAndPlan('vllm-server'),
      { kind: 'click', as: 'U_STRANGER', button: 'approve' },
      { kind: 'until', says: /may not approve here|don't have approve permission/ },
      { kind: 'click', as: 'U_APPROVER', button: 'approve' },
      { kind: 'until', says: DONE },
    ],
    expect: { cause: KV_CAUSE, ending: 'survives' },
  },
  {
    name: 'four-eyes',
    says: 'Two people must approve before oombot applies a change.',
    ...KV_ROOM,
    rights: [
      'act:',
      '  - { users: [U_ONCALL, U_APPROVER], verbs: [plan, approve, rollback, abort], scope: { namespaces: [llm] } }',
    ],
    acting: ['approvals: 2', 'requesterMayApprove: true'],
    steps: [
      ...triageAndPlan('vllm-server'),
      { kind: 'click', as: 'U_ONCALL', button: 'approve' },
      { kind: 'until', says: /1 of 2/ },
      { kind: 'click', as: 'U_APPROVER', button: 'approve' },
      { kind: 'until', says: DONE },
    ],
    expect: { cause: KV_CAUSE, ending: 'survives' },
  },
  {
    name: 'bot-restart',
    says: 'The bot restarts in the middle of a change and finishes it.',
    ...KV_ROOM,
    steps: [
      ...triageAndPlan('vllm-server'),
      { kind: 'click', as: 'U_APPROVER', button: 'approve' },
      { kind: 'restart-bot' },
      { kind: 'until', says: DONE },
    ],
    expect: { cause: KV_CAUSE, ending: 'survives' },
  },
  {
    name: 'shift-change',
    says: 'The next shift asks for the handover and sees the temporary change with its rollback.',
    ...KV_ROOM,
    rights: DEFAULT_RIGHTS,
    steps: [
      ...triageAndApprove('vllm-server', DONE),
      { kind: 'type', as: 'U_APPROVER', text: 'handover' },
      { kind: 'until', says: /max-model-len/ },
    ],
    expect: { cause: KV_CAUSE, ending: 'survives' },
  },
];
