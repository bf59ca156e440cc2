import { z } from 'zod';
import { findStored } from '../objects/objects.ts';
import { apiVersionOf } from '../objects/resources.ts';
import type { KubeObject } from '../objects/world.ts';
import { unknownFields, wrongTypes } from './check-object.ts';
import { keepObject } from './keep-object.ts';
import { alreadyExists, badRequest } from './refusals.ts';
import { refused, type WriteAnswer, type WriteContext, type WriteRequest } from './write-request.ts';

const Manifest = z.looseObject({
  apiVersion: z.string().optional(),
  kind: z.string().optional(),
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
});

/** POST of a new object. */
export function createObject(context: WriteContext, request: WriteRequest): WriteAnswer {
  const { path, body, query } = request;
  const manifest = Manifest.safeParse(body);
  if (!manifest.success) return refused(badRequest('name or generateName is required'));
  const { kind, metadata } = manifest.data;
  const apiVersion = apiVersionOf(path.resource);
  if ((kind ?? path.resource.kind) !== path.resource.kind || (manifest.data.apiVersion ?? apiVersion) !== apiVersion) {
    return refused(badRequest(`the object is no ${path.resource.kind} of ${apiVersion}`));
  }
  const { namespace = path.namespace, name } = metadata;
  if (namespace !== path.namespace) {
    return refused(badRequest('the namespace of the provided object does not match the namespace sent on the request'));
  }
  const after = {
    ...manifest.data,
    apiVersion,
    kind: path.resource.kind,
    metadata: { ...metadata, uid: '', namespace },
  };
  const object = after as KubeObject;
  const wrong = [
    ...wrongTypes(object),
    ...(query.fieldValidation === 'Strict' ? unknownFields(object).map((field) => `unknown field "${field}"`) : []),
  ];
  if (wrong.length > 0) {
    const head = `${path.resource.kind} in version "${path.resource.version}" cannot be handled as a ${path.resource.kind}`;
    return refused(badRequest(`${head}: strict decoding error: ${wrong.join(', ')}`));
  }
  if (findStored(context.storage.world, { ...path, name }) !== undefined) return refused(alreadyExists(path, name));
  return keepObject(context, request, { before: undefined, after: object, status: 201, show: (kept) => kept });
}
