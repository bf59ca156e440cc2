import { expect, it } from 'vitest';
import { createResponseUrls } from '../../src/slack/api/response-url.ts';
import { listen } from '../fakes/http-server.ts';

it.each([301, 302, 307, 308])('an answer is not carried on to where its address redirects to (%i)', async (status) => {
  const asked: string[] = [];
  const port = await listen((request, response) => {
    asked.push(request.url ?? '');
    if (request.url === '/hook') response.writeHead(status, { location: '/elsewhere' });
    response.end('ok');
  });
  const urls = createResponseUrls({ fetch: globalThis.fetch, now: () => 0, timeoutMs: 5000 });

  const posted = urls.post(`http://127.0.0.1:${port}/hook`, { text: 'a finding' });

  await expect(posted).rejects.toThrow();
  expect(asked).toEqual(['/hook']);
});
