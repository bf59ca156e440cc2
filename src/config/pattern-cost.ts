import { unboundedPart } from '../playbook/linear-pattern.ts';

const MOST_TRIES = 100_000;

/**
 * Why an own redaction pattern may not be used, or undefined. It runs over every byte of evidence, which other people
 * write: one that could be made slow would let a log line stop the bot.
 */
export function badPattern(pattern: string): string | undefined {
  try {
    const find = new RegExp(pattern, 'gu');
    if (find.test('')) return 'matches the empty text, and so everything';
  } catch (error) {
    return `is no regular expression: ${error instanceof Error ? reasonOf(error.message) : ''}`;
  }
  const unbounded = unboundedPart(pattern);
  if (unbounded !== undefined) return `might be slow: ${unbounded}`;
  const tries = [...pattern.matchAll(/\{(\d+),(\d+)\}/g)].reduce(
    (n, [, from, to]) => n * (Number(to) - Number(from) + 1),
    1,
  );
  if (tries <= MOST_TRIES) return undefined;
  return `might be slow: its repetitions multiply to ${tries.toLocaleString('en')} tries, ${MOST_TRIES.toLocaleString('en')} are allowed`;
}

// `Invalid regular expression: /(/gu: Unterminated group` without the pattern.
function reasonOf(message: string): string {
  return message.slice(message.lastIndexOf(': ') + 2).toLowerCase();
}
