import type { Mark } from '../../model/message.ts';

/** Emoji of each mark, as characters: they are drawn alike where nothing is interpreted. The words next to them say the same. */
export const EMOJI: Readonly<Record<Mark, string>> = { ok: '✅', warn: '⚠️', bad: '🔴', unknown: '❔', info: 'ℹ️' };

// Control characters break the JSON of some clients, and right-to-left overrides can make a log line read as another.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const UNSEEN = /\u001b\[[0-9;?]*[ -/]*[@-~]|(?![\t\n])[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/gu;

/** Foreign text without control characters, color codes and halves of characters; never empty. A line break alone separates. */
export function clean(text: string): string {
  const cleaned = text.replace(UNSEEN, '').toWellFormed();
  return cleaned.trim() === '' && cleaned !== '\n' ? '–' : cleaned;
}

/** At most `max` UTF-16 units, ending in an ellipsis where something was cut; never half a character. */
export function clip(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\ud800-\udbff]$/, '')}…`;
}

/** Clean and clipped: for places where Slack interprets nothing (cells, rich text, titles). */
export function literal(text: string, max: number): string {
  return clip(clean(text), max);
}

/** One line of `literal`. */
export function oneLine(text: string, max: number): string {
  return literal(text.replace(/\s+/g, ' ').trim(), max);
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

/** `& < >` as entities. */
export function escapeText(text: string): string {
  return text.replace(/[&<>]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Escaped and at most `max` units long after escaping; an entity is never cut. */
export function escapeWithin(text: string, max: number): string {
  let out = '';
  for (const sign of text) {
    const next = ENTITIES[sign] ?? sign;
    if (out.length + next.length > max - 1) return escapeText(text).length <= max ? escapeText(text) : `${out}…`;
    out += next;
  }
  return out;
}

const LOOK_ALIKE: Readonly<Record<string, string>> = { '*': '∗', _: '＿', '~': '∼', '`': 'ˋ' };

/**
 * Foreign text for mrkdwn, not yet escaped. Escaping alone stops mentions and links, but not `*bold*`, quotes and :emoji:.
 * Slack has no escape for those, so signs that stand where they would act become their look-alikes; `max_model_len` stays.
 */
export function defuse(text: string): string {
  return text
    .replace(/(?<![\p{L}\p{N}*_~`])[*_~`]+|[*_~`]+(?![\p{L}\p{N}*_~`])/gu, (signs) =>
      [...signs].map((s) => LOOK_ALIKE[s] ?? s).join(''),
    )
    .replace(/^(\s*)>/gm, '$1›')
    .replace(/:(?=[a-z0-9_'+-]*[a-z+][a-z0-9_'+-]*:)/gi, '꞉');
}
