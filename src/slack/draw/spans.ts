import type { RichTextElement } from '@slack/types';
import type { Span } from '../../model/message.ts';
import { NO_TIME, timeOf } from '../../report/words/span-words.ts';
import { clean, defuse, escapeWithin, literal } from './text.ts';

const USER = /^[UW][A-Z0-9_]+$/;
const GROUP = /^S[A-Z0-9_]+$/;

/** Spans as mrkdwn, at most `max` units. Use it with `verbatim: true`, or Slack links bare addresses by itself. */
export function toMrkdwn(spans: readonly Span[], max: number): string {
  let out = '';
  for (const span of spans) {
    const room = max - out.length;
    if (room < 8) break;
    const drawn = mrkdwnOf(span, room);
    if (drawn.length > room) return `${out}…`;
    out += drawn;
  }
  return out.trim() === '' ? '–' : out;
}

function mrkdwnOf(span: Span, room: number): string {
  switch (span.kind) {
    case 'plain':
      return span.text === ' ' ? ' ' : escapeWithin(defuse(clean(span.text)), room);
    case 'bold':
      return `*${escapeWithin(defuse(bare(span.text)), room - 2)}*`;
    case 'code':
      return `\`${escapeWithin(bare(span.text).replaceAll('`', 'ˋ'), room - 2)}\``;
    case 'link':
      return mrkdwnLink(span, room);
    case 'user':
      return USER.test(span.id) ? `<@${span.id}>` : escapeWithin(defuse(clean(span.id)), room);
    case 'group':
      return GROUP.test(span.id) ? `<!subteam^${span.id}>` : escapeWithin(defuse(clean(span.id)), room);
    case 'time': {
      const at = timeOf(span.at);
      return at === undefined ? NO_TIME : `<!date^${at.seconds}^{date_short_pretty} {time_secs}|${at.words}>`;
    }
  }
}

function mrkdwnLink(span: { text: string; url: string }, room: number): string {
  const url = webUrl(span.url);
  const words = escapeWithin(defuse(bare(span.text)).replaceAll('|', '¦'), Math.min(room, 150));
  return url === undefined || url.length + words.length + 3 > room ? words : `<${url}|${words}>`;
}

/** Spans as elements of rich text, where nothing is interpreted; at most `max` units of text. */
export function toRich(spans: readonly Span[], max: number): RichTextElement[] {
  const elements: RichTextElement[] = [];
  let room = max;
  for (const span of spans) {
    if (room < 2) break;
    const element = richOf(span, room);
    room -= 'text' in element ? (element.text?.length ?? 0) : 24;
    elements.push(element);
  }
  return elements.length > 0 ? elements : [{ type: 'text', text: '–' }];
}

function richOf(span: Span, room: number): RichTextElement {
  switch (span.kind) {
    case 'plain':
      return { type: 'text', text: span.text === ' ' ? ' ' : literal(span.text, room) };
    case 'bold':
      return { type: 'text', text: literal(span.text, room), style: { bold: true } };
    case 'code':
      return { type: 'text', text: literal(span.text, room), style: { code: true } };
    case 'link': {
      const url = webUrl(span.url);
      const text = literal(span.text, room);
      return url === undefined ? { type: 'text', text } : { type: 'link', url, text };
    }
    case 'user':
      return USER.test(span.id) ? { type: 'user', user_id: span.id } : { type: 'text', text: literal(span.id, room) };
    case 'group':
      return GROUP.test(span.id)
        ? { type: 'usergroup', usergroup_id: span.id }
        : { type: 'text', text: literal(span.id, room) };
    case 'time': {
      const at = timeOf(span.at);
      if (at === undefined) return { type: 'text', text: NO_TIME };
      return { type: 'date', timestamp: at.seconds, format: '{date_short_pretty} {time_secs}', fallback: at.words };
    }
  }
}

// Inside bold, code and links a line feed would end the style and a blank at the edge would switch it off.
function bare(text: string): string {
  return clean(text.replace(/\s+/g, ' ').trim());
}

// Only web addresses are linked, and no sign of them may end the link.
function webUrl(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || text.length > 2000) return undefined;
  return text.replace(/[\s<>|"`]/g, (sign) => encodeURIComponent(sign)).replaceAll('&', '&amp;');
}
