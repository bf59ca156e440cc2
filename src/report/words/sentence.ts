import { type Block, code, type Mark, type Message, plain, type Span } from '../../model/message.ts';

const SUMMARY = 300;

/** A message of one sentence with what follows from it. The summary is cut to what notifications take. */
export function say(mark: Mark, headline: string, blocks: readonly Block[] = []): Message {
  return {
    summary: clip(headline.replaceAll('`', ''), SUMMARY),
    blocks: [{ kind: 'headline', mark, spans: inCode(headline) }, ...blocks],
  };
}

/** Pieces of a sentence; a text stands for itself. */
export type Words = readonly (Span | string)[];

export function spansOf(words: Words): Span[] {
  return words.flatMap((word) => {
    if (typeof word !== 'string') return [word];
    return word === '' ? [] : inCode(word);
  });
}

// A backtick that is shown is copied with the command.
function inCode(text: string): Span[] {
  const parts = text.split(/`([^`\n]+)`/);
  return parts.flatMap((part, i) => (part === '' && parts.length > 1 ? [] : [i % 2 === 0 ? plain(part) : code(part)]));
}

export function paragraph(...words: Words): Extract<Block, { kind: 'paragraph' }> {
  return { kind: 'paragraph', spans: spansOf(words) };
}

/** Small print. */
export function note(...words: Words): Block {
  return { kind: 'note', spans: spansOf(words) };
}

/** A list; none where nothing is in it. */
export function list(title: string, items: readonly Words[]): Block[] {
  return items.length === 0 ? [] : [{ kind: 'list', title, items: items.map(spansOf) }];
}

const MOST_LISTED = 8;

/** A list under its number, of more than eight items the count of the rest; `rest` follows. None where nothing is in it. */
export function shortList(title: string, items: readonly Words[], rest: readonly Words[] = []): Block[] {
  const more = items.length - MOST_LISTED;
  const shown = more > 0 ? [...items.slice(0, MOST_LISTED), [`${more} more`]] : items;
  return list(`${title} (${items.length})`, [...shown, ...rest]);
}

/** Lines as they are, to be copied or to prove something. */
export function quote(title: string, lines: string[]): Block {
  return { kind: 'quote', title, lines };
}

// What Slack draws of one quote before it cuts it.
const QUOTE_CHARS = 1700;
const MOST_COPIED = 80;

/** Lines to be copied whole, such as a patch: in as many quotes as they need. Of more than 80 lines the count of the rest. */
export function copiedLines(title: string, text: string): Block[] {
  const lines = text.trimEnd().split('\n');
  const parts: string[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const line of lines.slice(0, MOST_COPIED)) {
    if (size + line.length > QUOTE_CHARS) {
      parts.push([]);
      size = 0;
    }
    parts.at(-1)?.push(line);
    size += line.length + 1;
  }
  const cut = lines.length - MOST_COPIED;
  return [
    ...parts.map((part, i) => quote(i === 0 ? title : 'Continued', part)),
    ...(cut > 0 ? [note(`${cut} more lines are not shown.`)] : []),
  ];
}

export function user(id: string): Span {
  return { kind: 'user', id };
}

/** At most `length` characters, the end given up for an ellipsis. */
export function clip(text: string, length: number): string {
  const points = [...text];
  return points.length <= length ? text : `${points.slice(0, length - 1).join('')}…`;
}

/** At most about `length` characters; what is cut says where the rest is. */
export function clipToThread(text: string, length: number): string {
  const cut = clip(text, length);
  return cut === text ? text : `${cut} (more in the thread)`;
}

/** The middle given up, between words where there are any, since the numbers of a log line stand at both ends. */
export function clipMiddle(text: string, length: number): string {
  const points = [...text];
  if (points.length <= length) return text;
  const head = Math.ceil((length - 3) * 0.7);
  const rest = points.slice(points.length - (length - 3 - head)).join('');
  return `${toLastWord(points.slice(0, head).join(''))} … ${rest.replace(/^\S{0,19} /, '')}`;
}

/** The text up to its last blank, where that is near. */
export function toLastWord(text: string): string {
  return text.replace(/ \S{0,19}$/, '');
}

/** A number with its noun: `1 branch`, `3 branches`. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}

/** Sentences of a text; a dot inside a number, a name or an abbreviation ends none. */
export function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.!?]["”)]?)\s+(?=["“(]?[A-Z0-9`-])/);
}

/** How long ago, in words: `3 min`, `2 h`, `5 d`. Times in epoch ms. */
export function ago(at: number, now: number): string {
  const minutes = Math.max(0, Math.round((now - at) / 60_000));
  if (minutes < 1) return 'under a minute';
  if (minutes < 120) return `${minutes} min`;
  return minutes < 2880 ? `${Math.round(minutes / 60)} h` : `${Math.round(minutes / 1440)} d`;
}

const BREAKS = /\s*[\n\r\v\f\u0085\u2028\u2029]+\s*/g;

/** A message whose texts have no line breaks: what the cluster says (warnings, reasons, webhooks) cannot forge a line of a card. */
export function flatten(message: Message): Message {
  return { ...message, summary: flat(message.summary), blocks: flat(message.blocks) };
}

function flat<T>(value: T): T;
function flat(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(BREAKS, ' ');
  if (Array.isArray(value)) return value.map((one) => flat(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, flat(one)]));
}
