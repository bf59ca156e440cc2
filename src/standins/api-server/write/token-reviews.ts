import { z } from 'zod';
import { type Answer, json } from '../objects/status.ts';
import { badRequest } from './refusals.ts';

const Review = z.looseObject({ spec: z.looseObject({ token: z.string() }) });
const OWN = 'standin:';

/** The token of a user of the stand-in. */
export function tokenOf(username: string): string {
  return `${OWN}${username}`;
}

/** TokenReview: whose a token is. Tokens that were not made by `tokenOf` are nobody's. */
export function reviewToken(body: unknown): Answer {
  const review = Review.safeParse(body);
  if (!review.success) return badRequest('a review needs spec.token');
  const { token } = review.data.spec;
  const username = token.startsWith(OWN) ? token.slice(OWN.length) : '';
  const status =
    username === ''
      ? { user: {}, error: '[invalid bearer token, unknown]' }
      : { authenticated: true, user: { username, uid: `uid-${username}`, groups: ['system:authenticated'] } };
  return json({ ...review.data, status }, 201);
}
