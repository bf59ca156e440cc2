import { z } from 'zod';
import { VerifyConfig } from './verify-schema.ts';

const minutes = (fallback: number, says: string) => z.number().positive().max(1440).default(fallback).describe(says);

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
    .describe('What follows a failed verification: a button, or the way back at once.'),
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
