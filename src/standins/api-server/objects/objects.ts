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

type Stored = {
  readonly world: ApiWorld;
  /** Epoch ms. */
  now(): number;
  readonly changes: { readonly version: string };
};

/** GET of one object, as the API server gives it. */
export function getObject({ world, now, changes }: Stored, { path, accept, query }: ObjectRequest): Answer {
  const found = findStored(world, path);
  if (found === undefined) return notFound(path);
  const metadata = { resourceVersion: changes.version };
  const { includeObject } = query;
  return json(wantsTable(accept) ? tableOf([found], { kind: found.kind, metadata, includeObject, now: now() }) : found);
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

/** The refusal of a list or a watch with a selector that the API server does not index; undefined where all is well. */
export function refusedSelector({ path, query }: ObjectRequest): Answer | undefined {
  const odd = unknownField(path.resource.kind, query.fieldSelector ?? '');
  return odd === undefined ? undefined : refuse(400, 'BadRequest', `field label not supported: ${odd}`);
}

/** Whether a list or a watch covers the object. */
export function isCovered({ path, query }: ObjectRequest, object: KubeObject): boolean {
  return (
    isOf(path, object) &&
    matchesLabels(query.labelSelector ?? '', object.metadata.labels) &&
    matchesFields(query.fieldSelector ?? '', object)
  );
}

/** A list with selectors, `limit` and `continue`, in the order of the names: the order of the store behind the API server. */
export function listObjects({ world, now, changes }: Stored, request: ObjectRequest): Answer {
  const { path, query, accept } = request;
  const refusal = refusedSelector(request);
  if (refusal !== undefined) return refusal;
  const start = startOf(query.continue);
  const found = world.objects
    .filter((object) => isCovered(request, object))
    .toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
    .filter((object) => keyOf(object) > start);
  const limit = Number(query.limit ?? 0) || found.length;
  const page = found.slice(0, limit);
  const last = page.at(-1);
  const metadata = {
    resourceVersion: changes.version,
    ...(found.length > page.length && last && { continue: tokenOf(last) }),
  };
  const { kind } = path.resource;
  return json(
    wantsTable(accept)
      ? tableOf(page, { kind, metadata, includeObject: query.includeObject, now: now() })
      : listOf(path.resource, page, metadata),
  );
}

function listOf(resource: Resource, page: readonly KubeObject[], metadata: object): unknown {
  // Items of a list bear neither kind nor apiVersion.
  const items = page.map(({ apiVersion: _apiVersion, kind: _kind, ...item }) => item);
  return { kind: `${resource.kind}List`, apiVersion: apiVersionOf(resource), metadata, items };
}

function objectsOf(world: ApiWorld, path: ApiPath): readonly KubeObject[] {
  return world.objects.filter((object) => isOf(path, object));
}

function isOf({ resource, namespace }: ApiPath, object: KubeObject): boolean {
  return (
    object.kind === resource.kind &&
    object.apiVersion === apiVersionOf(resource) &&
    (namespace === undefined || object.metadata.namespace === namespace)
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
