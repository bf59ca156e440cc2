// No line that names a cause is nearly as long, and an expression over a longer one runs out of stack.
const LONGEST = 512 * 1024;
const KEPT = 64 * 1024;
const BETWEEN_WORDS = /[\s"',;&]/;

/** The text with lines of more than 512 KiB cut to their first 64. */
export function cutLongLines(text: string): string {
  if (text.length <= LONGEST) return text;
  return text.split('\n').map(cutLine).join('\n');
}

function cutLine(line: string): string {
  if (line.length <= LONGEST) return line;
  // What stands right before the cut may be the first part of a secret.
  let end = KEPT;
  while (end > 0 && !BETWEEN_WORDS.test(line[end - 1] ?? '')) end -= 1;
  return `${line.slice(0, end)}[redacted:${line.length - end} characters]`;
}
