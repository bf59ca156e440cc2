import type { ServerResponse } from 'node:http';
import { notFound, type ObjectRequest } from './objects.ts';
import { type Answer, refuse } from './status.ts';
import { type ApiWorld, type ContainerLog, findObject, type LogLine } from './world.ts';

/** The log subresource, in the order of the kubelet: last lines, then since, then cut from the START of what is left. */
export function readPodLog(world: ApiWorld, { path, query }: ObjectRequest): Answer {
  const pod = findObject(world, { kind: 'Pod', name: path.name ?? '', namespace: path.namespace });
  if (pod === undefined) return notFound(path);
  const names = containerNames(pod.spec);
  // Without a name it is the only one.
  const { container = names.length === 1 ? (names[0] ?? '') : '' } = query;
  if (!names.includes(container)) {
    return refuse(400, 'BadRequest', `container ${container} is not valid for pod ${path.name}`);
  }
  const previous = query.previous === 'true';
  const log = world.logs.find(
    (one) =>
      one.namespace === path.namespace &&
      one.pod === path.name &&
      one.container === container &&
      one.instance === (previous ? 'previous' : 'current'),
  );
  if (log === undefined) return noLog(previous, container, path.name ?? '');
  if (query.follow === 'true' && !previous) return follow(world, log, query);
  return { kind: 'text', status: 200, chunks: textOf(log, query) };
}

const LOOK_MS = 200;

// The lines so far, and those that come, until another instance takes over.
function follow(world: ApiWorld, log: ContainerLog, query: Readonly<Record<string, string>>): Answer {
  const begin = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.flushHeaders();
    const linesOf = (): readonly LogLine[] => (typeof log.lines === 'function' ? [...log.lines()] : log.lines);
    let last = linesOf().at(-1);
    for (const piece of textOf(log, query)) response.write(piece);
    const look = (): void => {
      const lines = linesOf();
      const fresh = lines.slice(last === undefined ? 0 : lines.lastIndexOf(last) + 1);
      last = lines.at(-1);
      for (const piece of textOf({ ...log, lines: fresh }, { timestamps: query.timestamps ?? '' }))
        response.write(piece);
      if (!world.logs.some((one) => one.instance === 'current' && one.lines === log.lines)) response.end();
    };
    const timer = setInterval(look, LOOK_MS);
    response.on('close', () => clearInterval(timer));
  };
  return { kind: 'stream', status: 200, begin };
}

function noLog(previous: boolean, container: string, pod: string): Answer {
  const words = previous
    ? `previous terminated container "${container}" in pod "${pod}" not found`
    : `container "${container}" in pod "${pod}" is waiting to start: ContainerCreating`;
  return refuse(400, 'BadRequest', words);
}

function containerNames(spec: unknown): string[] {
  const { containers = [], initContainers = [] } = (spec ?? {}) as {
    containers?: { name: string }[];
    initContainers?: { name: string }[];
  };
  return [...initContainers, ...containers].map(({ name }) => name);
}

function* textOf(log: ContainerLog, query: Readonly<Record<string, string>>): Generator<string | Uint8Array> {
  const all = typeof log.lines === 'function' ? log.lines() : log.lines;
  const tail = query.tailLines === undefined ? all : lastOf(all, Number(query.tailLines));
  const since = query.sinceTime === undefined ? Number.NEGATIVE_INFINITY : Date.parse(query.sinceTime);
  const stamped = query.timestamps === 'true';
  let left = query.limitBytes === undefined ? Number.POSITIVE_INFINITY : Number(query.limitBytes);
  for (const { at, text } of tail) {
    if (at < since) continue;
    const line = Buffer.from(`${stamped ? `${stampOf(at)} ` : ''}${text}\n`);
    yield line.subarray(0, left);
    left -= line.byteLength;
    if (left <= 0) return;
  }
  if (log.failure !== undefined) yield log.failure;
}

function lastOf(lines: Iterable<LogLine>, count: number): LogLine[] {
  const kept: LogLine[] = [];
  for (const line of lines) {
    kept.push(line);
    if (kept.length > 2 * count) kept.splice(0, kept.length - count);
  }
  return count === 0 ? [] : kept.slice(-count);
}

/** A time as the kubelet prints it, always with nine digits. */
function stampOf(at: number): string {
  return new Date(at).toISOString().replace('Z', '000000Z');
}
