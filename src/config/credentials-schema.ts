import { z } from 'zod';

export const text = () => z.string().min(1);

/** Values of these fields are never printed; see effective-config.ts. */
export const secret = (says: string) => text().meta({ description: says, secret: true });

export const BasicConfig = z
  .strictObject({
    user: text().describe('User.'),
    password: secret('Password. Prefer `passwordFile`.').optional(),
    passwordFile: text().describe('File with the password; read again when it changes.').optional(),
  })
  .refine((b) => (b.password === undefined) !== (b.passwordFile === undefined), {
    error: 'needs one of `password` and `passwordFile`',
  });
