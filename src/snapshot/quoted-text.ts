/** Where a quoted text that begins at `at` ends, and what stands in it. `escapes`: backslashes before its quote, as in JSON within JSON. */
export type Quoted = { readonly from: number; readonly to: number; readonly end: number };

/** The quoted text at `at`, or undefined. One that is not closed ends with its line. */
export function quotedAt(text: string, at: number): Quoted | undefined {
  let quote = at;
  while (text[quote] === '\\' && quote - at < 16) quote += 1;
  const mark = text[quote];
  if (mark !== '"' && mark !== "'") return undefined;
  const from = quote + 1;
  const to = closing(text, from, { mark, escapes: quote - at });
  const closed = text[to] !== '\n' && to < text.length;
  return { from, to, end: closed ? to + (quote - at) + 1 : to };
}

type Mark = { readonly mark: string; readonly escapes: number };

function closing(text: string, from: number, { mark, escapes }: Mark): number {
  let slashes = 0;
  for (let i = from; i < text.length; i++) {
    const letter = text[i];
    if (letter === '\n') return i;
    if (letter === mark && closes(slashes, escapes)) return i - escapes;
    slashes = letter === '\\' ? slashes + 1 : 0;
  }
  return text.length;
}

// Without escapes an even number of backslashes is text; with them, exactly as many as the opening quote had.
function closes(slashes: number, escapes: number): boolean {
  return escapes === 0 ? slashes % 2 === 0 : slashes === escapes;
}

/** Where the list that begins with `[` at `at` ends; quotes in it are respected, and it never leaves its line. */
export function endOfList(text: string, at: number): number {
  let depth = 0;
  for (let i = at; i < text.length; i++) {
    const letter = text[i];
    if (letter === '\n') return i;
    if (letter === '"' || letter === "'") i = (quotedAt(text, i)?.end ?? i + 1) - 1;
    else if (letter === '[') depth += 1;
    else if (letter === ']') depth -= 1;
    if (depth === 0) return i + 1;
  }
  return text.length;
}

/** The line feeds of a text that goes away, so that lines stay lines. */
export function lineFeeds(text: string): string {
  return '\n'.repeat(text.split('\n').length - 1);
}
