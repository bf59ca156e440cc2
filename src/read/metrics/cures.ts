import { allLines } from '../text/lines.ts';

// Words for what was tried and went well, at the head of what was set then. `Started:` and `Ready:` are fields of a container.
const CURE = /\b(?:work(?:s|ed|ing)?|fix(?:es|ed)?|sol(?:ved|ution)|workaround|cure[sd]?)\b/i;
const IN_VAIN = /\b(?:not|no|never|nothing|nor|without)\b|n['’]t\b/i;
// The two sides of a change, with nothing said of either.
const BEFORE = /^before$/i;
const AFTER = /^(?:after|now)$/i;
// Where the other side begins.
const SIDE = /\b(?:before|after|now|fail(?:s|ed|ing)?|br(?:oken|oke)|error|crash(?:es|ed)?)\b/i;
const HEAD = /^\W{0,4}([A-Za-z][\w'’ -]{0,40}(?:\([^()\n]{1,40}\))?) ?:(?=\s|$)/;

/** A text in two: what was in force, and what people put below words such as `after (works):` or `fixed with:`. */
export type Parted = { readonly failed: string; readonly cures: string };

/** What a text was changed to is not what failed. Lines keep their numbers; a part ends at a gap or where the other side begins. */
export function partCures(text: string): Parted {
  const lines = allLines(text).map(({ raw, text: shown }) => ({ raw, head: HEAD.exec(shown)?.[1]?.trim() ?? '' }));
  const isPair = lines.some(({ head }) => BEFORE.test(head));
  let inside = false;
  const cured = lines.map(({ raw, head }) => {
    const isHead = isCure(head) || (isPair && AFTER.test(head));
    inside = isHead || (inside && raw.trim() !== '' && !CURE.test(head) && !SIDE.test(head));
    return inside;
  });
  const keep = (side: boolean) => lines.map(({ raw }, at) => (cured[at] === side ? raw : '')).join('\n');
  return { failed: keep(false), cures: keep(true) };
}

function isCure(head: string): boolean {
  return CURE.test(head) && !IN_VAIN.test(head);
}
