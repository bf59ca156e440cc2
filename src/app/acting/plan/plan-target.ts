import { z } from 'zod';
import { OwnersFile, parseJsonFile } from '../../../model/json-file.ts';
import type { PlanTarget } from '../../../model/plan.ts';
import { IncidentFile, type Snapshot } from '../../../model/snapshot.ts';

const Named = z.object({
  apiVersion: z.string(),
  kind: z.string(),
  metadata: z.object({ name: z.string(), uid: z.string() }),
});

/** The top owner of the pod that an incident is about, as its evidence has it; undefined where the evidence has none. */
export function planTarget(snapshot: Snapshot): PlanTarget | undefined {
  const owners = parseJsonFile(OwnersFile, snapshot.files['owners.json'] ?? '');
  const incident = parseJsonFile(IncidentFile, snapshot.files['incident.json'] ?? '');
  const capture = incident.kind === 'value' ? incident.value.capture : undefined;
  const top = owners.kind === 'value' ? Named.safeParse(owners.value.at(-1)?.value) : undefined;
  if (capture === undefined || top?.success !== true) return undefined;
  const { apiVersion, kind, metadata } = top.data;
  return {
    cluster: capture.cluster,
    object: { apiVersion, kind, namespace: capture.namespace, name: metadata.name, uid: metadata.uid },
    container: capture.container,
  };
}
