/** Name and value of a dump as Python prints it; values as they stand, quotes of strings taken off. `lines`: the first and the last of the dump's lines that hold it, from 0. */
export type DumpPair = { readonly key: string; readonly value: string; readonly lines: readonly [number, number] };

const OPEN = '([{';
const CLOSE = ')]}';

/**
 * Reads `{'a': 1, 'b': 'x'}`, `a=1, b='x')` and the like. The dump may be cut off: what is whole is read. Values that are
 * nothing (None, empty) are left out.
 */
export function readDump(text: string): DumpPair[] {
  const body = text.startsWith('{') ? text.slice(1) : text;
  let below = 0;
  return splitTop(body).flatMap((part) => {
    const first = below + feedsIn(/^\s*/.exec(part)?.[0] ?? '');
    below += feedsIn(part);
    const m = /^\s*['"]?([A-Za-z_]\w*)['"]?\s*[:=]\s*([\s\S]*)$/.exec(part);
    const value = m?.[2]?.trim() ?? '';
    if (m === null || isNothing(value)) return [];
    return [{ key: m[1] ?? '', value: unquote(value), lines: [first, below] }];
  });
}

function feedsIn(text: string): number {
  return text.split('\n').length - 1;
}

// Splits at commas outside brackets and quotes, and ends where a bracket closes that was never opened.
function splitTop(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const c = text.charAt(i);
    if (c === "'" || c === '"') i = endOfString(text, i);
    else if (OPEN.includes(c)) depth++;
    else if (CLOSE.includes(c) && --depth < 0) return [...parts, text.slice(start, i)];
    else if (c === ',' && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function endOfString(text: string, from: number): number {
  const quote = text.charAt(from);
  for (let i = from + 1; i < text.length; i++) {
    if (text.charAt(i) === '\\') i++;
    else if (text.charAt(i) === quote) return i;
  }
  return text.length;
}

function isNothing(value: string): boolean {
  return value === '' || value === 'None' || value === '{}' || value === '[]' || value === "''" || value === '""';
}

/** A string without its quotes; anything else as it stands. */
function unquote(value: string): string {
  const m = /^(['"])([\s\S]*)\1$/.exec(value);
  return m?.[2] ?? value;
}

// What may be missing, in one line or with its value in a line of its own: `Some(2)`, `Some(\n2,\n)`.
const SOME = /^Some\(\s*([\s\S]*?),?\s*\)$/;
const VARIANT = /^[A-Z][A-Za-z0-9]*$/;

/** A value as Rust prints it for debugging, as its flag takes it: what stands in `Some`, and `BitsandbytesNf4` as `bitsandbytes-nf4`. */
export function rustValue(value: string): string {
  const inner = SOME.exec(value)?.[1];
  if (inner === undefined) return value;
  return VARIANT.test(inner) ? inner.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, '-').toLowerCase() : unquote(inner);
}
