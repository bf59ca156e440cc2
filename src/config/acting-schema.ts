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
    clusters: patterns(['*'], 'Names of clusters; a name may end in `*`.'),
    namespaces: patterns(['*'], 'Namespaces; a name may end in `*`.'),
    workloads: patterns(['*'], 'Names of workloads, without their kind; a name may end in `*`.'),
    ttftP99Ms: ms('Time to the first token at the 99th percentile, in milliseconds.'),
    latencyP99Ms: ms('Time of a whole request at the 99th percentile, in milliseconds.'),
    shortWaitP95Ms: ms('Time in the queue of short requests at the 95th percentile, in milliseconds.'),
  })
  .refine((t) => [t.ttftP99Ms, t.latencyP99Ms, t.shortWaitP95Ms].some((target) => target !== undefined), {
    error: 'sets no target: `ttftP99Ms`, `latencyP99Ms` or `shortWaitP95Ms`',
  });

const VerifyConfig = z
  .strictObject({
    targets: z
      .array(TargetConfig)
      .default([])
      .describe(
        'What requests may take; the first entry that fits a workload counts. Where none is set, the hour before the incident is the measure.',
      ),
    worseBy: z.number().min(1).default(1.2).describe('Worse than the hour before by more than this factor is a no.'),
    shortPromptTokens: z.int().min(1).default(1000).describe('Prompts of at most so many tokens are short requests.'),
    ramShare: share(0.9, 'Most of the memory limit that a container may use.'),
    gpuFreeShare: share(
      0.02,
      'Least of the memory of the fullest GPU that must be free outside the pool of the engine.',
    ),
    kvShare: share(0.95, 'Most of the KV pool that may be in use.'),
    probe: z
      .enum(['off', 'pod-ip', 'pod-proxy'])
      .default('off')
      .describe(
        'Ask the newest pods for one token each time: by the address of the pod (only with `inCluster: true`, else as `pod-proxy`), or through the API server, which needs `get` and `create` on `pods/proxy`.',
      ),
    probeSeconds: z.number().min(0.1).max(6).default(5).describe('Longest wait for that token, in seconds.'),
    apiKeyFile: z
      .string()
      .min(1)
      .optional()
      .describe(
        'File with the key that engines ask for (`--api-key`). Sent to pods by their address, never through the proxy.',
      ),
    replay: z
      .boolean()
      .default(false)
      .describe(
        'Once in a run, send synthetic requests as long and as many as those in the step that died to one pod. It may kill that pod again.',
      ),
    replaySeconds: z.number().min(1).max(600).default(60).describe('Longest time for that, in seconds.'),
    waitingPerRunning: z.number().min(0).default(1).describe('Most waiting requests per running one.'),
  })
  .refine((verify) => !verify.replay || verify.probe !== 'off', {
    error: 'has `replay` without a way to ask engines: set `probe`',
  });

/** How changes are approved and carried out. Who may act stands in `act`, where in `clusters[].acting`. */
export const ActingConfig = z.strictObject({
  approvals: z.int().min(1).max(5).default(1).describe('How many people have to approve a plan.'),
  requesterMayApprove: z.boolean().default(false).describe('Whether who asked for a plan may approve it.'),
  protectedNamespaces: z
    .array(z.string().min(1))
    .default(['kube-*'])
    .describe('Namespaces in which nothing is ever changed, whatever `act` says; a name may end in `*`.'),
  breakGlass: z
    .array(z.string().min(1))
    .default([])
    .describe('Slack user ids that may go on alone with a reason, which is announced. Empty means nobody.'),
  expiryMinutes: minutes(15, 'How long a plan can be approved.'),
  readyMinutes: minutes(30, 'How long a replica may take until it is ready.'),
  goneMinutes: minutes(10, 'How long pods may take to end.'),
  drainMinutes: minutes(1, 'How long a drained restart waits for requests in flight.'),
  verifyMinutes: minutes(10, 'How long a change is watched afterwards.'),
  verify: VerifyConfig.prefault({}).describe('What a change must live up to.'),
  rollBack: z
    .enum(['ask', 'automatic'])
    .default('ask')
    .describe('What follows a failed verification: a button, or the rollback at once.'),
  port: z
    .int()
    .min(1)
    .max(65535)
    .optional()
    .describe(
      'Port for commands of terminals (`oom approve`), on the loopback interface: `kubectl port-forward` leads to it.',
    ),
  people: z
    .record(z.string().min(1), z.string().min(1))
    .default({})
    .describe('Users of the default cluster that may use that port, and the Slack user id that each of them is.'),
  maxMemory: z
    .string()
    .regex(/^\d+(\.\d+)?(Mi|Gi|Ti)$/, { error: 'is a size such as `256Gi`' })
    .optional()
    .describe('No memory limit is raised above this.'),
  maxReplicas: z
    .int()
    .min(1)
    .max(1000)
    .default(10)
    .describe(
      'The highest count that may be typed as `--replicas`, unless more run or were recorded. Where an autoscaler holds the workload its maximum counts instead.',
    ),
});
export type ActingConfig = z.infer<typeof ActingConfig>;

/** Acting in one cluster: its mere presence allows it, for those whom `act` names. */
export const ClusterActingConfig = z.strictObject({
  as: z
    .string()
    .regex(/^system:serviceaccount:[a-z0-9.-]+:[a-z0-9.-]+$/, {
      error: 'is no service account: `system:serviceaccount:<namespace>:<name>`',
    })
    .optional()
    .describe('The service account that writes, impersonated by the reading one; itself where it is left out.'),
});
export type ClusterActingConfig = z.infer<typeof ClusterActingConfig>;
