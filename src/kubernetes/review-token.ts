import { z } from 'zod';
import type { Clock } from '../app/ports.ts';
import { createActHttp, sayStatusOf } from './acting/act-http.ts';
import { type CredentialSource, loadCredentials } from './api/credentials.ts';
import { createSession, type Session } from './api/session.ts';

export type TokenReview =
  | { readonly kind: 'user'; readonly username: string }
  | { readonly kind: 'nobody' }
  | { readonly kind: 'could-not-tell'; readonly why: string };

export type TokenReviewer = {
  /** Never throws, and keeps no token. */
  review(token: string, signal: AbortSignal): Promise<TokenReview>;
  close(): Promise<void>;
};

const PATH = '/apis/authentication.k8s.io/v1/tokenreviews';
const Review = z.looseObject({
  status: z.looseObject({
    authenticated: z.boolean().optional(),
    // Of a token that is nobody's there is an empty user.
    user: z.looseObject({ username: z.string().optional() }).optional(),
  }),
});

/** Asks a cluster whose token it is. Needs `create` on `tokenreviews`. */
export function createTokenReviewer(options: {
  readonly source: CredentialSource;
  readonly clock: Clock;
  readonly version: string;
}): TokenReviewer {
  const { clock, version } = options;
  return reviewWith(
    createSession(() => loadCredentials(options.source), clock),
    { clock, version },
  );
}

/** The same over a session. */
export function reviewWith(session: Session, { clock, version }: { clock: Clock; version: string }): TokenReviewer {
  const http = createActHttp({ session, clock });
  return {
    async review(token, signal) {
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', spec: { token } };
      const answer = await http.ask(
        { method: 'POST', path: PATH, body },
        { signal, agent: `oombot/${version} (token review)` },
      );
      if (answer.kind === 'lost') return { kind: 'could-not-tell', why: answer.why };
      if (answer.status === 403) {
        return {
          kind: 'could-not-tell',
          why: 'the bot lacks the right `create` on `tokenreviews.authentication.k8s.io`',
        };
      }
      const read = Review.safeParse(answer.body);
      if (answer.status >= 300 || !read.success) return { kind: 'could-not-tell', why: sayStatusOf(answer) };
      const { authenticated, user } = read.data.status;
      const username = user?.username ?? '';
      return authenticated === true && username !== '' ? { kind: 'user', username } : { kind: 'nobody' };
    },
    close: () => session.close(),
  };
}
