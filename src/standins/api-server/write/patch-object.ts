import { z } from 'zod';
import { applyPatch, isSameJson } from '../../../model/json-patch.ts';
import { PatchOperation } from '../../../model/plan.ts';
import { findStored, notFound } from '../objects/objects.ts';
import type { Answer } from '../objects/status.ts';
import type { KubeObject } from '../objects/world.ts';
import { unknownFields, wrongTypes } from './check-object.ts';
import { keepObject } from './keep-object.ts';
import { mergePatch, strategicMergePatch } from './merge-patch.ts';
import { badRequest, conflict, failedPatch, invalid, undecodablePatch, unsupportedPatch } from './refusals.ts';
import { patchScale } from './scale.ts';
import { type Patched, refused, type WriteAnswer, type WriteContext, type WriteRequest } from './write-request.ts';

/** PATCH or PUT of an object or of its scale. */
export function patchObject(context: WriteContext, request: WriteRequest): WriteAnswer {
  const { path } = request;
  const before = findStored(context.storage.world, path);
  if (before === undefined) return refused(notFound(path));
  if (path.subresource === 'scale') {
    return patchScale(context, request, { before, apply: (scale) => applyBody(scale, request) });
  }
  const patched = applyBody(before, request);
  if (patched.kind === 'refused') return refused(patched.answer);
  const after = patched.value as KubeObject;
  const refusal = refusalOf(before, after, request);
  if (refusal !== undefined) return refused(refusal);
  return keepObject(context, request, {
    before,
    after: ownedByServer(before, after),
    status: 200,
    show: (kept) => kept,
  });
}

function applyBody(object: unknown, { contentType, body, replaces }: WriteRequest): Patched {
  if (replaces) return { kind: 'patched', value: body };
  if (contentType === 'application/merge-patch+json') return { kind: 'patched', value: mergePatch(object, body) };
  if (contentType === 'application/strategic-merge-patch+json') {
    return { kind: 'patched', value: strategicMergePatch(object, body) };
  }
  if (contentType !== 'application/json-patch+json') return { kind: 'refused', answer: unsupportedPatch() };
  const operations = z.array(PatchOperation).safeParse(body);
  if (!operations.success)
    return { kind: 'refused', answer: badRequest('error decoding patch: not a list of operations') };
  const applied = applyPatch(object, operations.data);
  return applied.kind === 'applied'
    ? { kind: 'patched', value: applied.value }
    : { kind: 'refused', answer: failedPatch() };
}

function refusalOf(before: KubeObject, after: KubeObject, { path, query }: WriteRequest): Answer | undefined {
  if (typeof after?.metadata !== 'object' || after.metadata === null) {
    return undecodablePatch(after, 'Object has no metadata');
  }
  const wrong = wrongTypes(after);
  if (wrong.length > 0) return undecodablePatch(after, `json: cannot unmarshal: ${wrong.join(', ')}`);
  const unknown = unknownFields(after);
  if (query.fieldValidation === 'Strict' && unknown.length > 0) {
    const words = unknown.map((field) => `unknown field "${field}"`).join(', ');
    return undecodablePatch(after, `strict decoding error: ${words}`);
  }
  const { metadata } = after;
  if (metadata.name !== path.name) return badRequest('the name of the object does not match the name on the URL');
  if (metadata.uid !== before.metadata.uid) {
    return invalid(path, [{ reason: 'FieldValueInvalid', message: 'field is immutable', field: 'metadata.uid' }]);
  }
  // One who sets a version of the past has read it in the past.
  const asked = metadata.resourceVersion;
  return asked !== undefined && !isSameJson(asked, before.metadata.resourceVersion) ? conflict(path) : undefined;
}

// Neither a status nor what the server counts is changed by a patch of the object.
function ownedByServer(before: KubeObject, after: KubeObject): KubeObject {
  const { resourceVersion, generation, managedFields, creationTimestamp } = before.metadata;
  const metadata = { ...after.metadata, ...defined({ resourceVersion, generation, managedFields, creationTimestamp }) };
  return { ...after, metadata, ...defined({ status: before.status }) };
}

function defined(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
