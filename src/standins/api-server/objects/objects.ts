import { type ApiPath, apiVersionOf, type Resource } from './resources.ts';
import { matchesFields, matchesLabels, unknownField } from './selectors.ts';
import { type Answer, json, refuse } from './status.ts';
import { tableOf, wantsTable } from './table.ts';
import type { ApiWorld, KubeObject } from './world.ts';

export type ObjectRequest = {
  readonly path: ApiPath;
  readonly query: Readonly<Record<string, string>>;
  readonly accept: string;
};

/** GET of one object, as the API server gives it. */
export function getObject(world: ApiWorld, { path, accept }: ObjectRequest): Answer {
  const found = findStored(world, path);
  if (found === undefined) return notFound(path);
  return json(wantsTable(accept) ? tableOf([found], { resourceVersion: '1000' }) : found);
}

/** The object behind a path; undefined where there is none. */
export function findStored(world: ApiWorld, path: ApiPath): KubeObject | undefined {
  const found = objectsOf(world, path).find((object) => object.metadata.name === path.name);
  if (found === undefined || found.metadata.resourceVersion !== undefined) return found;
  // What a builder made has no version yet.
  const stamped = { ...found, metadata: { ...found.metadata, resourceVersion: '1000' } };
  world.objects[world.objects.indexOf(found)] = stamped;
  return stamped;
}

export function notFound({ resource, name }: ApiPath): Answer {
  const { group, plural } = resource;
  const words = `${plural}${group === '' ? '' : `.${group}`} "${name}" not found`;
  return refuse(404, 'NotFound', words, { name, group, kind: plural });
}

/** A list with selectors, `limit` and `continue`, in the order of the names: the order of the store behind the API server. */
export function listObjects(world: ApiWorld, request: ObjectRequest): Answer {
  const { path, query, accept } = request;
  const fields = query.fieldSelector ?? '';
  const odd = unknownField(path.resource.kind, fields);
  if (odd !== undefined) return refuse(400, 'BadRequest', `field label not supported: ${odd}`);
  const start = startOf(query.continue);
  const found = objectsOf(world, path)
    .filter(({ metadata }) => matchesLabels(query.labelSelector ?? '', metadata.labels))
    .filter((object) => matchesFields(fields, object))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .filter((object) => keyOf(object) > start);
  const limit = Number(query.limit ?? 0) || found.length;
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const metadata = {
    resourceVersion: '1000',
    ...(found.length > page.length && last && { continue: tokenOf(last) }),
  };
  return json(
    wantsTable(accept) ? tableOf(page, metadata, query.includeObject) : listOf(path.resource, page, metadata),
  );
}

function listOf(resource: Resource, page: readonly KubeObject[], metadata: object): unknown {
  // Items of a list bear neither kind nor apiVersion.
  const items = page.map(({ apiVersion: _apiVersion, kind: _kind, ...item }) => item);
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata, items };
}

function objectsOf(world: ApiWorld, { resource, namespace }: ApiPath): readonly KubeObject[] {
  return world.objects.filter(
    (object) =>
      object.kind === resource.kind &&
      object.apiVersion === apiVersionOf(resource) &&
      (namespace === undefined || object.metadata.namespace === namespace),
  );
}

function keyOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name}`;
}

function tokenOf(object: KubeObject): string {
  return Buffer.from(keyOf(object)).toString('base64url');
}

function startOf(token: string | undefined): string {
  return Buffer.from(token ?? '', 'base64url').toString();
}
