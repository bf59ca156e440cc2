import { z } from 'zod';

export const Words = z.string().min(1);
export const Version = z.string().regex(/^\d[\w.]*$/, { error: 'is a version in quotes, such as "0.9.2"' });

/** A regular expression. */
export const Pattern = Words.refine(isExpression, { error: 'is no regular expression that Node understands' });

function isExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern) !== undefined;
  } catch {
    return false;
  }
}

type Camel<Key extends string> = Key extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<Camel<Rest>>}`
  : Key;
export type CamelKeys<Row> = { readonly [Key in keyof Row as Key extends string ? Camel<Key> : never]: Row[Key] };

/** A row of a file with its keys as code has them: `gpu-not` is `gpuNot`. */
export function camelKeys<Row extends object>(row: Row): CamelKeys<Row> {
  const camel = (key: string) => key.replace(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [camel(key), value])) as CamelKeys<Row>;
}
