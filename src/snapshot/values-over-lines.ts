import { isSecretName } from './secret-names.ts';

const MARK = '[redacted:secret-value]';
// `password: |` of YAML, `"api_keys": [` of JSON, and a name with its list on the lines below.
const OPEN =
  /^(?<indent>[-+ \t{]{0,200})["']?(?<name>[A-Za-z_][A-Za-z0-9_.-]{1,200})["']?[ \t]{0,8}:[ \t]{0,8}(?<kind>[|>][-+\d]{0,3}|\[)?[ \t]{0,8}\r?\n/gm;
const BLANK = /^[ \t]*\r?$/;
const QUOTED = /^[-+ \t]*["'](?!\[redacted:)[^\n]*?["'],?[ \t]*\r?$/;
// Not an entry of fields, a variable or a mark.
const ITEM = /^[-+ \t]*- (?!\[redacted:|[\w.-]{1,200}:(?:\s|$)|--)[^\n]+$/;

/** Takes out what stands on the lines below the name of a secret: a block of YAML, or a list. Lines stay lines. */
export function redactBelowNames(text: string): string {
  const pieces: string[] = [];
  let kept = 0;
  OPEN.lastIndex = 0;
  for (let found = OPEN.exec(text); found !== null; found = OPEN.exec(text)) {
    const { indent = '', name = '', kind = '' } = found.groups ?? {};
    if (!isSecretName(name)) continue;
    const from = found.index + found[0].length;
    const { to, instead } = redactLines(text, from, isValue(indent.length, kind));
    pieces.push(text.slice(kept, from), instead);
    kept = to;
    OPEN.lastIndex = Math.max(to, from);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(kept);
}

type IsValue = (line: string) => boolean;

function isValue(indent: number, kind: string): IsValue {
  if (kind === '[') return (line) => QUOTED.test(line);
  if (kind === '') return (line) => ITEM.test(line) && indentOf(line) >= indent;
  return (line) => !BLANK.test(line) && indentOf(line) > indent;
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}

function redactLines(text: string, from: number, isPart: IsValue): { readonly to: number; readonly instead: string } {
  const out: string[] = [];
  let at = from;
  while (at < text.length) {
    const feed = text.indexOf('\n', at);
    const end = feed === -1 ? text.length : feed;
    const line = text.slice(at, end);
    if (!isPart(line)) break;
    out.push(line.replace(/^([-+ \t]*)\S[^\n]*?(,?\r?)$/, `$1${MARK}$2`));
    if (feed === -1) return { to: end, instead: out.join('\n') };
    at = feed + 1;
  }
  return { to: at, instead: out.map((line) => `${line}\n`).join('') };
}
