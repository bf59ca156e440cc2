import { lineFeeds } from './quoted-text.ts';

const BEGIN = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/g;
const END = /-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----/;
// The largest keys in use take 13 KB with the prefix of a log line on each line.
const LONGEST = 20_000;
const MARK = '[redacted:private-key]';
// What a line of a key that lost its end looks like, behind any prefix.
const KEY_LINE = /[A-Za-z0-9+/=]{40,4096}(?=["'\s]{0,4}$)/;
const REST = /^(?:\\[nr]|[A-Za-z0-9+/=\s]){0,16384}/;

/** Takes out private keys in PEM form, also where each of their lines bears a log's prefix. Lines stay lines. */
export function redactPrivateKeys(text: string): string {
  if (!text.includes('PRIVATE KEY')) return text;
  const starts = [...text.matchAll(BEGIN)];
  const pieces: string[] = [];
  let kept = 0;
  for (const [i, start] of starts.entries()) {
    if (start.index < kept) continue;
    const body = start.index + start[0].length;
    const stop = Math.min(text.length, body + LONGEST, starts[i + 1]?.index ?? text.length);
    const taken = takeOut(text.slice(body, stop));
    pieces.push(text.slice(kept, start.index), MARK, taken.instead);
    kept = body + taken.length;
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(kept);
}

type Taken = { readonly length: number; readonly instead: string };

function takeOut(after: string): Taken {
  const end = END.exec(after);
  if (end !== null) {
    const length = end.index + end[0].length;
    return { length, instead: lineFeeds(after.slice(0, length)) };
  }
  // Cut off before its end: only what looks like a key goes, the log behind it stays.
  const lines = after.split('\n');
  const first = REST.exec(lines[0] ?? '')?.[0] ?? '';
  const out = [(lines[0] ?? '').slice(first.length)];
  for (const line of lines.slice(1)) {
    if (!KEY_LINE.test(line)) break;
    out.push(line.replace(KEY_LINE, MARK));
  }
  return { length: lines.slice(0, out.length).join('\n').length, instead: out.join('\n') };
}
