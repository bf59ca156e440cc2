import { strip } from '../api/objects.ts';
import { requestFor } from '../api/resource.ts';
import type { Reads } from './reads.ts';

const LIMIT = 500;

type Selection = { readonly namespace: string; readonly fields: string; readonly item: string };

/** Events that match the fields, one call; empty where they could not be read, undefined then. */
export async function readEvents(
  reads: Reads,
  { namespace, fields, item }: Selection,
  { after, prepaid }: { after: number; prepaid: boolean },
): Promise<readonly unknown[] | undefined> {
  const query = { fieldSelector: fields, limit: LIMIT };
  const request = { ...requestFor('list', { resource: 'events', namespace }), query, prepaid };
  return (await reads.items(item, request, after))?.map(strip);
}

export function eventsOfPod(namespace: string, uid: string): Selection {
  return { namespace, fields: `involvedObject.uid=${uid}`, item: 'events.json' };
}

// Nodes belong to no namespace; their events are kept in this one.
export function eventsOfNode(node: string): Selection {
  const fields = `involvedObject.kind=Node,involvedObject.name=${node}`;
  return { namespace: 'default', fields, item: 'events of the node' };
}
