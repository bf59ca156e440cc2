import { z } from 'zod';
import { Condition, ObjectMeta } from './kubernetes.ts';
import { count, labels, lenient, listOf, text } from './lenient.ts';

const metadata = lenient(ObjectMeta);
const shareOrCount = lenient(z.union([z.number(), z.string()]));
const ScaleTarget = z.looseObject({ apiVersion: text, kind: text, name: text });
const ofResource = lenient(z.looseObject({ name: text }));
const HpaMetric = z.looseObject({ type: text, resource: ofResource, containerResource: ofResource });
const Hpa = z.looseObject({
  metadata,
  spec: lenient(
    z.looseObject({
      minReplicas: count,
      maxReplicas: count,
      scaleTargetRef: lenient(ScaleTarget),
      metrics: listOf(HpaMetric, {}),
      targetCPUUtilizationPercentage: count,
    }),
  ),
  status: lenient(z.looseObject({ currentReplicas: count, desiredReplicas: count, conditions: listOf(Condition, {}) })),
});
const Pdb = z.looseObject({
  metadata,
  spec: lenient(
    z.looseObject({
      minAvailable: shareOrCount,
      maxUnavailable: shareOrCount,
      unhealthyPodEvictionPolicy: text,
      selector: lenient(z.looseObject({ matchLabels: labels })),
    }),
  ),
  status: lenient(z.looseObject({ disruptionsAllowed: count, currentHealthy: count, expectedPods: count })),
});
const ScaledObject = z.looseObject({
  metadata,
  spec: lenient(
    z.looseObject({
      minReplicaCount: count,
      maxReplicaCount: count,
      scaleTargetRef: lenient(ScaleTarget),
      triggers: listOf(z.looseObject({ type: text }), {}),
    }),
  ),
});

/** autoscalers.json: what points at the workload. */
export const Autoscalers = z.looseObject({
  hpas: listOf(Hpa, {}),
  pdbs: listOf(Pdb, {}),
  scaledObjects: listOf(ScaledObject, {}),
});
export type Autoscalers = z.infer<typeof Autoscalers>;
