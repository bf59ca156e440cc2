/**
 * Says why a regular expression might need more than linear time, or undefined where it does not: repetition without an
 * end, repetition inside repetition, look-behind, back-references. A rule of thumb that refuses more than it must.
 */
export function unboundedPart(pattern: string): string | undefined {
  if (/\(\?<[=!]/.test(pattern)) return 'look-behind (`(?<=`, `(?<!`) is not allowed here';
  const tokens = tokenize(pattern);
  if (tokens.some((token) => /^\\(?:[1-9]|k<)/.test(token))) return 'back-references are not allowed here';
  return unboundedRepeat(tokens);
}

/** One token each: an escape, a character class, the opening of a group, a quantifier, any other character. */
const TOKEN = /\\k<\w+>|\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?(?:[:=!]|<[A-Za-z]\w*>))?|\)|\{\d+(?:,\d*)?\}|[\s\S]/g;

function tokenize(pattern: string): string[] {
  return [...pattern.matchAll(TOKEN)].map((match) => match[0]);
}

type Open = { repeats: boolean };

function unboundedRepeat(tokens: readonly string[]): string | undefined {
  const groups: Open[] = [{ repeats: false }];
  let closed: Open | undefined;
  for (const [i, token] of tokens.entries()) {
    const most = mostRepeats(token);
    if (most === Number.POSITIVE_INFINITY) {
      return `\`${tokens[i - 1] ?? ''}${token}\` repeats without a limit; write \`{0,80}\` or another number`;
    }
    if (most !== undefined && most > 1) {
      if (closed?.repeats) return 'a group that is repeated may not hold a repetition; write it out or use one class';
      markAll(groups);
    }
    closed = step(groups, token);
  }
  return undefined;
}

function step(groups: Open[], token: string): Open | undefined {
  if (token.startsWith('(')) groups.push({ repeats: false });
  return token === ')' && groups.length > 1 ? groups.pop() : undefined;
}

function markAll(groups: readonly Open[]): void {
  for (const group of groups) group.repeats = true;
}

// A `?` behind another quantifier makes it lazy; either way it adds no repetition.
function mostRepeats(token: string): number | undefined {
  if (token === '*' || token === '+') return Number.POSITIVE_INFINITY;
  const m = /^\{(\d+)(,(\d*))?\}$/.exec(token);
  if (m === null) return undefined;
  if (m[2] === undefined) return Number(m[1]);
  return m[3] === '' ? Number.POSITIVE_INFINITY : Number(m[3]);
}
