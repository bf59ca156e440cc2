import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClusterInMemory } from './cluster-in-memory.ts';
import type { ApiFault, ApiFaults } from './faults.ts';
import type { ApiWorld, Denial } from './objects/world.ts';
import type { WriteEntry } from './write/write-log.ts';

type Controlled = {
  readonly cluster: ClusterInMemory;
  readonly world: ApiWorld;
  readonly faults: ApiFaults;
  readonly writes: readonly WriteEntry[];
};

/** Where a test in another process looks at the stand-in, and moves it. */
export const CONTROL = '/_standin/';

type Body = {
  readonly ms?: number;
  readonly place?: string;
  readonly fault?: ApiFault;
  readonly times?: number;
  readonly life?: object;
  readonly denied?: readonly Denial[];
};

/** Answers one control request: writes, objects, now, advance, fault, clear-faults, life, denied. */
export function answerControl(standin: Controlled, incoming: IncomingMessage, response: ServerResponse): void {
  const chunks: Uint8Array[] = [];
  incoming.on('data', (chunk: Uint8Array) => chunks.push(chunk));
  incoming.on('end', () => {
    const text = Buffer.concat(chunks).toString('utf8');
    const what = (incoming.url ?? '').slice(CONTROL.length).split('?')[0] ?? '';
    const answer = control(standin, what, text === '' ? {} : (JSON.parse(text) as Body));
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer ?? { error: `no ${what}` }));
  });
}

function control(standin: Controlled, what: string, body: Body): unknown {
  const { cluster, world, faults } = standin;
  switch (what) {
    case 'writes':
      return standin.writes;
    case 'objects':
      return world.objects;
    case 'now':
      return { now: cluster.now() };
    case 'advance':
      cluster.advance(body.ms ?? 0);
      return { now: cluster.now() };
    case 'fault':
      if (body.fault !== undefined) faults.on(body.place ?? '', body.fault, body.times);
      return {};
    case 'clear-faults':
      faults.clear();
      return {};
    case 'life':
      Object.assign(cluster.life, body.life);
      return cluster.life;
    case 'denied':
      world.denied.splice(0, world.denied.length, ...(body.denied ?? []));
      return world.denied;
    default:
      return undefined;
  }
}
