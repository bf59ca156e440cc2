import { createHash, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** What a request must bear. A file is read at each request, so that a new secret counts at once. */
export type WebhookAuth =
  | { readonly kind: 'bearer'; readonly token: string }
  | { readonly kind: 'bearer-file'; readonly file: string }
  | { readonly kind: 'basic'; readonly user: string; readonly password: string }
  | { readonly kind: 'basic-file'; readonly user: string; readonly file: string };

/** Whether the Authorization header of a request is the expected one. Throws where a file cannot be read. */
export function isAuthorized(auth: WebhookAuth, header: string | undefined): boolean {
  if (header === undefined) return false;
  const expected = expectedHeader(auth);
  return expected !== undefined && timingSafeEqual(digest(header), digest(expected));
}

function expectedHeader(auth: WebhookAuth): string | undefined {
  const secret =
    auth.kind === 'bearer'
      ? auth.token
      : auth.kind === 'basic'
        ? auth.password
        : readFileSync(auth.file, 'utf8').trim();
  // An empty file lets nobody in.
  if (secret === '') return undefined;
  if ('user' in auth) return `Basic ${Buffer.from(`${auth.user}:${secret}`).toString('base64')}`;
  return `Bearer ${secret}`;
}

// Of equal length, whatever was sent.
function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
