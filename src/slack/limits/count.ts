// Texts of these keys are counted; the rest of a block is structure.
const COUNTED = new Set(['text', 'title', 'label', 'name', 'hint', 'x_label', 'y_label', 'fallback']);

/** Characters of all blocks as Slack counts them: `&`, `<` and `>` outside of mrkdwn count as their entities. */
export function countText(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countText(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  const block = value as Record<string, unknown>;
  const inMrkdwn = block.type === 'mrkdwn';
  let sum = 0;
  for (const [key, inner] of Object.entries(block)) {
    if (typeof inner === 'string') sum += COUNTED.has(key) ? (inMrkdwn ? inner.length : lengthOf(inner)) : 0;
    else sum += countText(inner);
  }
  return sum;
}

function lengthOf(text: string): number {
  let length = text.length;
  for (const sign of text)
    if (sign === '&') length += 4;
    else if (sign === '<' || sign === '>') length += 3;
  return length;
}
