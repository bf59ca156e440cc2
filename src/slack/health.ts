import { createServer, type Server, type ServerResponse } from 'node:http';

/** `/healthz`: the process answers. `/readyz`: it can serve. */
export function answerHealth(path: string, ready: boolean, response: ServerResponse): void {
  const status = path === '/healthz' ? 200 : path === '/readyz' ? (ready ? 200 : 503) : 404;
  const words = status === 200 ? 'ok' : status === 503 ? 'not ready' : 'not found';
  response.writeHead(status, { 'content-type': 'text/plain' }).end(`${words}\n`);
}

/** The probes' own server, for Socket Mode, which needs no port otherwise. */
export function createHealthServer(ready: () => boolean): Server {
  return createServer((request, response) => {
    answerHealth(new URL(request.url ?? '/', 'http://health').pathname, ready(), response);
  });
}
