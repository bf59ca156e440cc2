import { z } from 'zod';
import { count, labels, lenient, listOf, text } from './lenient.ts';

const shareOrCount = lenient(z.union([z.number(), z.string()]));
const ofResource = lenient(z.looseObject({ name: text }));
const HpaMetric = z.looseObject({ type: text, resource: ofResource, containerResource: ofResource });
const Hpa = z.looseObject({
  spec: lenient(
    z.looseObject({
      scaleTargetRef: lenient(z.looseObject({ name: text })),
      metrics: listOf(HpaMetric, {}),
      targetCPUUtilizationPercentage: count,
    }),
  ),
});
const Pdb = z.looseObject({
  spec: lenient(
    z.looseObject({
      selector: lenient(z.looseObject({ matchLabels: labels })),
      minAvailable: shareOrCount,
      maxUnavailable: shareOrCount,
      unhealthyPodEvictionPolicy: text,
    }),
  ),
  status: lenient(z.looseObject({ disruptionsAllowed: count, expectedPods: count })),
});
const ScaledObject = z.looseObject({
  spec: lenient(z.looseObject({ triggers: listOf(z.looseObject({ type: text }), {}) })),
});

/** autoscalers.json: what points at the workload. */
export const Autoscalers = z.looseObject({
  hpas: listOf(Hpa, {}),
  pdbs: listOf(Pdb, {}),
  scaledObjects: listOf(ScaledObject, {}),
});
export type Autoscalers = z.infer<typeof Autoscalers>;
