import { describe, expect, it, onTestFinished } from 'vitest';
import { createSession } from '../../src/kubernetes/api/session.ts';
import { reviewWith } from '../../src/kubernetes/review-token.ts';
import { listen } from '../fakes/http-server.ts';
import { createHastyClock } from './harness.ts';
import { plainCredentials } from './plain-credentials.ts';

/** An API server that answers each review like this, and what it was asked. */
async function openReviewer(status: number, body: unknown) {
  const asked: { path: string | undefined; body: string }[] = [];
  const port = await listen((request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += chunk;
    });
    request.on('end', () => {
      asked.push({ path: request.url, body: text });
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    });
  });
  const clock = createHastyClock();
  const url = `http://127.0.0.1:${port}`;
  const reviewer = reviewWith(
    createSession(async () => plainCredentials(url), clock),
    { clock, version: '1.2.3' },
  );
  onTestFinished(() => reviewer.close());
  return { asked, review: () => reviewer.review('the-token', new AbortController().signal) };
}

const user = { username: 'oncall@example.org', groups: ['system:authenticated'] };

describe('a token', () => {
  it('is shown to the API server alone, in the body', async () => {
    const { asked, review } = await openReviewer(201, { status: { authenticated: true, user } });

    expect(await review()).toEqual({ kind: 'user', username: 'oncall@example.org' });
    expect(asked).toHaveLength(1);
    expect(asked[0]?.path).toBe('/apis/authentication.k8s.io/v1/tokenreviews');
    expect(JSON.parse(asked[0]?.body ?? '')).toMatchObject({ kind: 'TokenReview', spec: { token: 'the-token' } });
  });

  it.each([
    ['not authenticated', 201, { status: { authenticated: false, error: 'expired' } }, { kind: 'nobody' }],
    ['refused, although it names a user', 201, { status: { authenticated: false, user } }, { kind: 'nobody' }],
    ['named without being authenticated', 201, { status: { user } }, { kind: 'nobody' }],
    ['without a word on it', 201, { status: {} }, { kind: 'nobody' }],
    ['nobody’s, with the empty user of the API server', 201, { status: { user: {}, error: 'x' } }, { kind: 'nobody' }],
    ['authenticated without a user', 201, { status: { authenticated: true } }, { kind: 'nobody' }],
    ['without the right to ask', 403, { kind: 'Status' }, { kind: 'could-not-tell' }],
    ['an API server that is down', 500, { kind: 'Status' }, { kind: 'could-not-tell' }],
    ['an answer that is none', 201, [], { kind: 'could-not-tell' }],
  ] as const)('(%s) is nobody’s unless the API server says whose', async (_, status, body, kind) => {
    const { review } = await openReviewer(status, body);

    expect(await review()).toMatchObject(kind);
  });
});
