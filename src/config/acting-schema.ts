import { z } from 'zod';

const minutes = (fallback: number, says: string) => z.number().positive().max(1440).default(fallback).describe(says);

const share = (fallback: number, says: string) => z.number().min(0).max(1).default(fallback).describe(says);
const ms = (says: string) => z.number().positive().optional().describe(says);
const patterns = (fallback: readonly string[], says: string) =>
  z
    .array(z.string().min(1))
    .min(1)
    .default([...fallback])
    .describe(says);

/** What requests of some workloads may take. */
const TargetConfig = z
  .strictObject({
    clusters: patterns(['*'], 'Clusters.'),
    namespaces: patterns(['*'], 'Namespaces.'),
    workloads: patterns(['*'], 'Workload names without kind.'),
    ttftP99Ms: ms('TTFT P99 in milliseconds.'),
    latencyP99Ms: ms('Request latency P99 in milliseconds.'),
    shortWaitP95Ms: ms('Queue time of short requests, P95 in milliseconds.'),
  })
  .refine((t) => [t.ttftP99Ms, t.latencyP99Ms, t.shortWaitP95Ms].some((target) => target !== undefined), {
    error: 'sets no target: `ttftP99Ms`, `latencyP99Ms` or `shortWaitP95Ms`',
  });

const VerifyConfig = z
  .strictObject({
    targets: z
      .array(TargetConfig)
      .default([])
      .describe('Latency targets; the first match counts. Default: compare with the hour before the incident.'),
    worseBy: z.number().min(1).default(1.2).describe('Fail if worse than the hour before by more than this factor.'),
    shortPromptTokens: z.int().min(1).default(1000).describe('Longest prompt of a short request, in tokens.'),
    ramShare: share(0.9, 'Highest share of the memory limit in use.'),
    gpuFreeShare: share(0.02, 'Lowest free share of the fullest GPU.'),
    kvShare: share(0.95, 'Highest share of the KV cache in use.'),
    probe: z
      .enum(['off', 'pod-ip', 'pod-proxy'])
      .default('off')
      .describe(
        'Ask the newest pods for one token: by pod IP (only with `inCluster: true`) or through the API server (`get` and `create` on `pods/proxy`).',
      ),
    probeSeconds: z.number().min(0.1).max(6).default(5).describe('Timeout for that token.'),
    apiKeyFile: z
      .string()
      .min(1)
      .optional()
      .describe("File with the engines' API key (`--api-key`). Sent by pod IP only, never through the proxy."),
    replay: z.boolean().default(false).describe('Replay the step that died on one pod. May kill that pod again.'),
    replaySeconds: z.number().min(1).max(600).default(60).describe('Timeout for the replay.'),
    waitingPerRunning: z.number().min(0).default(1).describe('Highest number of waiting requests per running one.'),
  })
  .refine((verify) => !verify.replay || verify.probe !== 'off', {
    error: 'has `replay` without a way to ask engines: set `probe`',
  });

/** How changes are approved and applied. Who may act stands in `act`, where in `clusters[].acting`. */
export const ActingConfig = z.strictObject({
  approvals: z.int().min(1).max(5).default(1).describe('People who must approve a plan.'),
  requesterMayApprove: z.boolean().default(false).describe('Whether the requester may approve the plan.'),
  protectedNamespaces: z
    .array(z.string().min(1))
    .default(['kube-*'])
    .describe('Namespaces where oombot never changes anything.'),
  breakGlass: z
    .array(z.string().min(1))
    .default([])
    .describe('Slack user ids that may approve alone with a reason, which is announced. Empty: nobody.'),
  expiryMinutes: minutes(15, 'Minutes until a plan expires.'),
  readyMinutes: minutes(30, 'Minutes for one replica to become ready.'),
  goneMinutes: minutes(10, 'Minutes for pods to terminate.'),
  drainMinutes: minutes(1, 'Minutes a restart waits for running requests.'),
  verifyMinutes: minutes(10, 'Minutes to watch after a change.'),
  verify: VerifyConfig.prefault({}),
  rollBack: z
    .enum(['ask', 'automatic'])
    .default('ask')
    .describe('After a failed verification: offer a rollback, or roll back at once.'),
  port: z.int().min(1).max(65535).optional().describe('Loopback port for the terminal (`oom approve`).'),
  people: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe('Cluster users who may use that port, with their Slack user ids.'),
  maxMemory: z
    .string()
    .regex(/^\d+(\.\d+)?(Mi|Gi|Ti)$/, { error: 'is a size such as `256Gi`' })
    .optional()
    .describe('Highest memory limit oombot may set.'),
  maxReplicas: z
    .int()
    .min(1)
    .max(1000)
    .default(10)
    .describe("Highest `--replicas`, unless more were running. An autoscaler's maximum overrides it."),
});
export type ActingConfig = z.infer<typeof ActingConfig>;

/** Acting in one cluster: its mere presence allows it, for those whom `act` names. */
export const ClusterActingConfig = z.strictObject({
  as: z
    .string()
    .regex(/^system:serviceaccount:[a-z0-9.-]+:[a-z0-9.-]+$/, {
      error: 'is not a service account: `system:serviceaccount:<namespace>:<name>`',
    })
    .optional()
    .describe('Service account to impersonate for changes. Default: none, oombot uses its own.'),
});
export type ClusterActingConfig = z.infer<typeof ClusterActingConfig>;
