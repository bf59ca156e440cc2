import { unquote } from './python-dump.ts';

// What may be missing, in one line or with its value in a line of its own: `Some(2)`, `Some(\n2,\n)`.
const SOME = /^Some\(\s*([\s\S]*?),?\s*\)$/;
const VARIANT = /^[A-Z][A-Za-z0-9]*$/;

/** A value as Rust prints it for debugging, as its flag takes it: what stands in `Some`, and `BitsandbytesNf4` as `bitsandbytes-nf4`. */
export function rustValue(value: string): string {
  const inner = SOME.exec(value)?.[1];
  if (inner === undefined) return value;
  return VARIANT.test(inner) ? inner.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase() : unquote(inner);
}
