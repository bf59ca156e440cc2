import { OomError } from '../../model/errors.ts';

/** Whether an address is one of PostgreSQL. */
export function isPostgresUrl(url: string): boolean {
  return /^postgres(?:ql)?:\/\//.test(url);
}

/** What a fault names: the host, without user and password. */
export function postgresPlace(url: string): string | undefined {
  return URL.canParse(url) ? `PostgreSQL at ${new URL(url).host || 'its socket'}` : undefined;
}

/** Throws OomError `bad-config`. What is wrong in it is not told: it holds a password, and so does the error of URL. */
export function checkPostgresUrl(url: string): void {
  if (isPostgresUrl(url) && URL.canParse(url)) return;
  throw new OomError('bad-config', 'Cannot parse `store.url`.', {
    next: 'Write `postgres://user:password@host/database`, with / ? # @ in the password as %2F %3F %23 %40.',
  });
}
