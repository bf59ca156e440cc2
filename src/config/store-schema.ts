import { z } from 'zod';

// What stands before the host is masked wherever it is printed; a password with a slash in it would end up behind.
function isWholeUrl(url: string): boolean {
  // What is no store is told once.
  if (!/^postgres(?:ql)?:/.test(url)) return true;
  return URL.canParse(url) && !/^[^:]+:\/\/[^/?#]*[/?#].*@/.test(url);
}

export const StoreConfig = z.strictObject({
  url: z
    .string()
    .regex(/^(?:sqlite:.+|postgres(?:ql)?:\/\/\S+)$/, {
      error: 'is no store: `sqlite:` and a path, or `postgres://user:password@host/database`',
    })
    .refine(isWholeUrl, { error: 'cannot be parsed: write / ? # @ in the password as %2F %3F %23 %40' })
    .default('sqlite:./data/oom.db')
    .meta({
      description:
        '`sqlite:PATH` for one replica, `postgres://user:password@host/database` (14 or newer) for several. Add `?prepare=false` behind a transaction pooler. `sqlite::memory:` keeps nothing.',
      mask: 'url',
    }),
  mustExist: z
    .boolean()
    .default(false)
    .describe(
      'Refuse an empty database: set it after the first start to notice a lost one. `oom migrate` still creates one.',
    ),
  retentionDays: z
    .strictObject({
      snapshots: z.number().positive().default(30).describe('Days to keep evidence.'),
      incidents: z
        .number()
        .positive()
        .default(400)
        .describe('Days to keep an incident after it was last seen. The audit log stays.'),
    })
    .prefault({}),
});
