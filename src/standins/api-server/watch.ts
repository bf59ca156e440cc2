import type { ServerResponse } from 'node:http';
import type { ApiFault } from './faults.ts';
import { isCovered, type ObjectRequest, refusedSelector } from './objects/objects.ts';
import { apiVersionOf } from './objects/resources.ts';
import { type Answer, refuse } from './objects/status.ts';
import { tableOf, wantsTable } from './objects/table.ts';
import type { KubeObject } from './objects/world.ts';
import { createWatchLines } from './watch-lines.ts';
import type { Change } from './write/change-log.ts';
import type { Storage } from './write/storage.ts';

type WatchType = Change['type'] | 'BOOKMARK' | 'ERROR';

const LONGEST_SECONDS = 1800;
const BOOKMARK_MS = 60_000;

/** A watch: what exists where the client asks for it, then each change until its time is over or the client goes. */
export function answerWatch(storage: Storage, { path, query, accept }: ObjectRequest): Answer {
  // A watch of one object by its path is one of the list, of which only this one is meant.
  const named = path.name === undefined ? '' : `metadata.name=${path.name}`;
  const fieldSelector = [query.fieldSelector ?? '', named].filter((term) => term !== '').join(',');
  const request = { path, accept, query: { ...query, fieldSelector } };
  const begin = (response: ServerResponse, fault?: ApiFault): void =>
    serveWatch({ response, write: createWatchLines(response, fault) }, storage, request);
  return refusedSelector(request) ?? { kind: 'stream', status: 200, begin };
}

type Client = { readonly response: ServerResponse; readonly write: (event: unknown) => void };

function serveWatch({ response, write }: Client, storage: Storage, request: ObjectRequest): void {
  const { query, path } = request;
  response.writeHead(200, { 'content-type': 'application/json' });
  response.flushHeaders();
  const isTable = wantsTable(request.accept);
  let isFirstRow = true;
  const send = (type: WatchType, object: KubeObject): void => {
    const row = isTable ? withoutHead(rowOf(storage, request, object), !isFirstRow) : object;
    if (isTable) isFirstRow = false;
    write({ type, object: row });
  };
  const bookmark = (isInitial: boolean): void => {
    const annotations = isInitial ? { 'k8s.io/initial-events-end': 'true' } : undefined;
    const metadata = {
      resourceVersion: storage.changes.version,
      creationTimestamp: null,
      ...(annotations && { annotations }),
    };
    const object = { kind: path.resource.kind, apiVersion: apiVersionOf(path.resource), metadata };
    write({ type: 'BOOKMARK', object: isTable ? { ...object, ...rowless(metadata) } : object });
  };
  const { resourceVersion = '' } = query;
  const sendsInitial = query.sendInitialEvents === 'true' || resourceVersion === '' || resourceVersion === '0';
  if (sendsInitial) {
    for (const object of storage.world.objects.filter((one) => isCovered(request, one))) send('ADDED', object);
    if (query.sendInitialEvents === 'true') bookmark(true);
  } else {
    const missed = storage.changes.since(resourceVersion);
    if (missed === undefined) {
      expire(response, resourceVersion);
      return;
    }
    for (const change of missed) tell(request, change, send);
  }
  const stop = storage.changes.listen((change) => tell(request, change, send));
  const over = setTimeout(() => response.end(), Number(query.timeoutSeconds ?? LONGEST_SECONDS) * 1000);
  const bookmarks = setInterval(() => query.allowWatchBookmarks === 'true' && bookmark(false), BOOKMARK_MS);
  response.on('close', () => {
    stop();
    clearTimeout(over);
    clearInterval(bookmarks);
  });
}

// What leaves or enters the selection of a client is deleted or added for it.
function tell(request: ObjectRequest, change: Change, send: (type: WatchType, object: KubeObject) => void): void {
  const { type, object, before } = change;
  const was = before !== undefined && isCovered(request, before);
  const is = type !== 'DELETED' && isCovered(request, object);
  if (is) send(was ? 'MODIFIED' : 'ADDED', object);
  else if (was) send('DELETED', object);
}

function expire(response: ServerResponse, version: string): void {
  const gone = refuse(410, 'Expired', `too old resource version: ${version}`);
  const object = gone.kind === 'json' ? gone.body : {};
  response.end(`${JSON.stringify({ type: 'ERROR', object })}\n`);
}

function rowOf({ now }: Storage, { path, query }: ObjectRequest, object: KubeObject) {
  const metadata = { resourceVersion: object.metadata.resourceVersion };
  const { includeObject } = query;
  return tableOf([object], { kind: path.resource.kind, metadata, includeObject, now: now() }) as Record<
    string,
    unknown
  >;
}

// Only the first table of a watch names its columns.
function withoutHead(table: Record<string, unknown>, isLater: boolean): Record<string, unknown> {
  return isLater ? { ...table, columnDefinitions: null } : table;
}

function rowless(metadata: object) {
  return { kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata, columnDefinitions: null, rows: [] };
}
