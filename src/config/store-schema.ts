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
    .refine(isWholeUrl, { error: 'cannot be read: write / ? # @ in the password as %2F %3F %23 %40' })
    .default('sqlite:./data/oom.db')
    .meta({
      description:
        'Where incidents, plans and the audit are kept: `sqlite:` and a path, for one bot; `postgres://user:password@host/database` (14 or newer), for several. Usually DATABASE_URL. `?prepare=false` behind a pooler that lends a connection for a transaction. `sqlite::memory:` forgets all at the end.',
      mask: 'url',
    }),
  mustExist: z
    .boolean()
    .default(false)
    .describe(
      'Refuse an empty store in the place of making one: set it after the first start, so that a lost database cannot pass for a new one. `oom migrate` makes one all the same.',
    ),
  retentionDays: z
    .strictObject({
      snapshots: z.number().positive().default(30).describe('Days after which evidence is deleted.'),
      incidents: z
        .number()
        .positive()
        .default(400)
        .describe('Days after which an incident that was not seen again is deleted. The audit stays.'),
    })
    .prefault({})
    .describe('How long things are kept.'),
});
