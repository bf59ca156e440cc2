import type { LineCitation } from '../../model/citation.ts';
import { anyOf } from '../../read/text/patterns.ts';
import { EXCEPTION, headless } from './raised-exception.ts';

// What stands above the traceback of an error that somebody caught: one request's (encode/uvicorn
// uvicorn/protocols/http/h11_impl.py; vllm-project/vllm vllm/entrypoints/openai/serving_chat.py, tool_parsers; SGLang
// srt/entrypoints/openai/serving_base.py), one that Python has nobody to give to (python/cpython Python/errors.c, Lib/asyncio/base_events.py).
const CAUGHT = anyOf(
  '',
  /\bException in ASGI application\b|\bException ignored in\b|\bError in request: /,
  /\bTask exception was never retrieved\b|\bException in callback\b/,
  /\bERROR\b[^\n]{0,60}\[(?:[\w/]{1,80}\/)?(?:serving(?:_\w{1,40})?|speech_to_text|chat_utils|\w{1,40}_tool_parser|\w{1,40}_reasoning_parser)\.py:\d/,
);
const TRACEBACK = 'Traceback (most recent call last)';
const GOES_ON = /^(?:During handling of the above exception|The above exception was the direct cause)/;
const HEAD_LINES = 3;
const MOST_LINES = 300;

/** The lines, by number, of tracebacks whose error ended one request or one task, and no process. */
export function linesOfCaught(lines: readonly LineCitation[]): ReadonlySet<number> {
  const caught = new Set<number>();
  let end = 0;
  // A logger repeats its head on every line of the traceback: within one none begins.
  for (const [at, { line, text }] of lines.entries()) {
    if (at >= end && CAUGHT.test(text)) end = endOf(lines, at);
    if (at < end) caught.add(line);
  }
  return caught;
}

// A chain has a traceback for each of its errors; the word above the first is of all.
function endOf(lines: readonly LineCitation[], from: number): number {
  const last = Math.min(lines.length, from + MOST_LINES);
  let isOpen = false;
  for (let at = from; at < last; at++) {
    const text = headless(lines[at]?.text ?? '');
    if (text.includes(TRACEBACK) || GOES_ON.test(text)) isOpen = true;
    else if (isOpen && EXCEPTION.test(text) && !isChained(lines, at)) return at + 1;
    else if (!isOpen && at - from >= HEAD_LINES) return at;
  }
  return last;
}

function isChained(lines: readonly LineCitation[], at: number): boolean {
  return lines.slice(at + 1, at + 1 + HEAD_LINES).some(({ text }) => GOES_ON.test(headless(text)));
}
