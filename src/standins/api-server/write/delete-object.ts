import { valueAt } from '../../../model/json-patch.ts';
import { findStored, notFound } from '../objects/objects.ts';
import { json } from '../objects/status.ts';
import { isDryRun, refused, type WriteAnswer, type WriteContext, type WriteRequest } from './write-request.ts';

/** DELETE of one object: pods end in their own time, everything else is gone at once. */
export function deleteObject({ storage }: WriteContext, request: WriteRequest): WriteAnswer {
  const { path } = request;
  const found = findStored(storage.world, path);
  if (found === undefined) return refused(notFound(path));
  if (isDryRun(request)) return { answer: json(found), outcome: 'dry-run' };
  if (storage.onDeleted === undefined) storage.remove(found);
  else storage.onDeleted(found, valueAt(request.body, '/propagationPolicy') !== 'Orphan');
  const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success' };
  const { name, uid } = found.metadata;
  const details = { name, group: path.resource.group, kind: path.resource.plural, uid };
  return { answer: json({ ...status, details }), outcome: 'applied' };
}
