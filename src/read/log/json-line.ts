import { cleanLine } from './clean-line.ts';
import { findMasks } from './mask.ts';

const OBJECT = /^\s{0,8}\{\s{0,4}\\?"/;
// A line feed within a string; one at its end is the logger's own. Twice escaped where a runtime wraps what a logger wrote.
const FEED = /\\{1,3}n(?!\\{0,3}")/;
const BETWEEN = /\\{1,3}n(?!\\{0,3}")|\\{0,3}"\s{0,4},\s{0,4}\\{0,3}"/;

// The last words of a container in its status, as `kubectl get -o yaml` and `-o json` quote them: YAML doubles a single quote.
const STATUS = /^\s{0,24}(?:- )?(?:message: (['"])|"message": ("))/;

/**
 * The lines that a logger of JSON wrote into one: its fields, and a message or a traceback in its own lines, with quotes as
 * they were, up to where a user's words begin. Undefined where the line is no object or holds no more than one.
 */
export function linesOfJson(text: string): readonly string[] | undefined {
  const status = STATUS.exec(text);
  if (status !== null) return linesOfStatus(text, status[1] ?? status[2] ?? '');
  if (!FEED.test(text) || !OBJECT.test(cleanLine(text).clean)) return undefined;
  const own = text.slice(0, findMasks(text).promptAt);
  return own.split(BETWEEN).map((piece) => piece.replaceAll(/\\{1,3}"/g, '"'));
}

function linesOfStatus(text: string, quote: string): readonly string[] | undefined {
  if (quote === "'") return text.includes("''") ? [text.replaceAll("''", "'")] : undefined;
  return FEED.test(text) ? text.split(FEED).map((piece) => piece.replaceAll('\\"', '"')) : undefined;
}
