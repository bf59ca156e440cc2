import { type Caller, callerOf, deniedBy, deniedImpersonation } from './objects/access.ts';
import { answerDiscovery } from './objects/discovery.ts';
import { findStored, getObject, listObjects, notFound, type ObjectRequest } from './objects/objects.ts';
import { readPodLog } from './objects/pod-logs.ts';
import type { ApiRequest } from './objects/request.ts';
import { type ApiPath, parseApiPath } from './objects/resources.ts';
import { type Answer, json, refuse } from './objects/status.ts';
import { answerWatch } from './watch.ts';
import { reviewAccess } from './write/access-reviews.ts';
import { createObject } from './write/create-object.ts';
import { deleteObject } from './write/delete-object.ts';
import { addWarning } from './write/keep-object.ts';
import { patchObject } from './write/patch-object.ts';
import { hasScale, noSuchSubresource, scaleOf } from './write/scale.ts';
import { reviewToken } from './write/token-reviews.ts';
import { refused, type WriteAnswer, type WriteContext, type WriteRequest } from './write/write-request.ts';

/** What ports of pods answer, by `vllm-0:8000/metrics`. */
export type Proxied = Readonly<Record<string, string>> | ((place: string) => string | undefined);

/** What a cluster answers to requests, without sockets, tokens and faults. */
export type Api = WriteContext & {
  /** Text that a pod's port answers through the pod proxy: `{ 'vllm-0:8000/metrics': '...' }`. */
  readonly proxied?: Proxied | undefined;
  /** Warnings that answers to writes come with: those to paths that hold `place`. */
  readonly warnings: { readonly place: string; readonly text: string }[];
};

type Asked = { readonly request: ApiRequest; readonly path: ApiPath; readonly caller: Caller };

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

const TOKEN_REVIEWS = '/apis/authentication.k8s.io/v1/tokenreviews';
const TOKENS: ApiPath = {
  resource: {
    group: 'authentication.k8s.io',
    version: 'v1',
    plural: 'tokenreviews',
    kind: 'TokenReview',
    namespaced: false,
  },
  namespace: undefined,
  name: undefined,
  subresource: undefined,
  rest: '',
};

/** The answer to a request of an authenticated caller; `body` is parsed JSON. */
export function answerRequest(api: Api, request: ApiRequest, body: unknown): WriteAnswer {
  const { world } = api.storage;
  const caller = callerOf(request.headers);
  const impersonation = deniedImpersonation(world.denied, caller);
  if (impersonation !== undefined) return refused(impersonation);
  if (request.method === 'POST' && request.path === REVIEWS) return unchanged(reviewAccess(world, body, caller));
  if (request.method === 'POST' && request.path === TOKEN_REVIEWS) {
    const refusal = deniedBy(world.denied, 'create', TOKENS, caller);
    return refusal === undefined ? unchanged(reviewToken(body)) : refused(refusal);
  }
  const path = parseApiPath(request.path);
  if (path === undefined) {
    const discovered =
      request.method === 'GET' ? answerDiscovery(request.path, request.headers.accept ?? '') : undefined;
    return unchanged(discovered ?? refuse(404, 'NotFound', 'the server could not find the requested resource'));
  }
  const denied = deniedBy(world.denied, verbOf(request, path), path, caller);
  if (denied !== undefined) return refused(denied);
  const asked: Asked = { request, path, caller };
  return request.method === 'GET' ? unchanged(answerRead(api, asked)) : answerWrite(api, asked, body);
}

function unchanged(answer: Answer): WriteAnswer {
  return { answer, outcome: 'unchanged' };
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

function verbOf({ method, query }: ApiRequest, { name }: ApiPath): string {
  if (isWatch(query)) return 'watch';
  if (method === 'GET') return name === undefined ? 'list' : 'get';
  return VERBS[method] ?? method.toLowerCase();
}

function isWatch({ watch }: ApiRequest['query']): boolean {
  return watch === 'true' || watch === '1';
}

function answerRead({ storage, proxied }: Api, { request, path }: Asked): Answer {
  const { world } = storage;
  const asked: ObjectRequest = { path, query: request.query, accept: request.headers.accept ?? '' };
  switch (path.subresource) {
    case 'log':
      return readPodLog(world, asked);
    case 'proxy':
      return answerProxy(
        typeof proxied === 'function' ? proxied(`${path.name}${path.rest}`) : proxied?.[`${path.name}${path.rest}`],
      );
    case 'scale': {
      const object = findStored(world, path);
      if (!hasScale(path)) return noSuchSubresource();
      return object === undefined ? notFound(path) : json(scaleOf(object));
    }
    case undefined:
      if (isWatch(request.query)) return answerWatch(storage, asked);
      return path.name === undefined ? listObjects(storage, asked) : getObject(storage, asked);
    default:
      return refuse(404, 'NotFound', 'the stand-in has no such subresource');
  }
}

function answerProxy(text: string | undefined): Answer {
  if (text === undefined) return refuse(503, 'ServiceUnavailable', 'no endpoints available');
  return { kind: 'text', status: 200, chunks: [text] };
}

function answerWrite(api: Api, { request, path, caller }: Asked, body: unknown): WriteAnswer {
  const { method, query, headers } = request;
  const write: WriteRequest = {
    ...{ path, query, body, caller, agent: request.userAgent, replaces: method === 'PUT' },
    contentType: (headers['content-type'] ?? '').split(';')[0] ?? '',
  };
  const change = path.name === undefined ? COLLECTION_WRITES[method] : OBJECT_WRITES[method];
  if (change === undefined) {
    return refused(refuse(405, 'MethodNotAllowed', `the stand-in knows no ${method} here`));
  }
  const done = change(api, write);
  const warned = api.warnings.filter(({ place }) => request.path.includes(place));
  return { ...done, answer: warned.reduce((answer, { text }) => addWarning(answer, text), done.answer) };
}

type Change = (api: Api, write: WriteRequest) => WriteAnswer;

const COLLECTION_WRITES: Readonly<Record<string, Change>> = { POST: createObject };
const OBJECT_WRITES: Readonly<Record<string, Change>> = { PATCH: patchObject, PUT: patchObject, DELETE: deleteObject };
