// Where request-log lines hold a user's words. Each expression ends just before the text; `quote` tells how the text ends.
// Sources: vllm/entrypoints/logger.py and vllm/engine/async_llm_engine.py; sglang/srt/managers/tokenizer_manager.py; text-generation-inference router/src/server.rs.
const STARTS: readonly RegExp[] = [
  /Received request [^\n]{0,200}?prompt: /g,
  /Generated response [^\n]{0,200}?output: /g,
  /Receive: obj=(?:Generate|Embedding)ReqInput\([^\n]{0,400}?text=/g,
  /Finish: obj=(?:Generate|Embedding)ReqInput\([^\n]{0,400}?text=/g,
  /(?:^|[\s{(,])["']?inputs["']?[:=]\s?(?=["'])/gm,
  /["']?\bprompt["']?\s?[:=]\s?(?=["'])/g,
  /["']content["']\s?:\s?(?=["'])/g,
];
const TOKEN_LISTS =
  /(?<keep>\b(?:prompt_token_ids|input_ids|token_ids|output_ids)["']?\s?[:=]\s?)\[(?<ids>[\d,\s]{2,4000000})\]?/g;
const LONGEST = 4_000_000;

/** Replaces users' words in request logs by their length: `[redacted:prompt 812 characters]`. Lines stay lines. */
export function redactPrompts(text: string): string {
  const withoutIds = text.includes('_ids')
    ? text.replace(
        TOKEN_LISTS,
        (_all, keep: string, ids: string) => `${keep}[redacted:${ids.split(',').length} token ids]${feeds(ids)}`,
      )
    : text;
  return STARTS.reduce(redactAfter, withoutIds);
}

function redactAfter(text: string, start: RegExp): string {
  const pieces: string[] = [];
  let from = 0;
  start.lastIndex = 0;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const begin = found.index + found[0].length;
    const end = endOfQuoted(text, begin);
    const words = text.slice(begin, end);
    if (end <= begin || words.startsWith('[redacted:') || words.includes('[redacted:prompt')) {
      start.lastIndex = Math.max(end, begin + 1);
      continue;
    }
    pieces.push(text.slice(from, begin), `[redacted:prompt ${words.length} characters]${feeds(words)}`);
    from = end;
    start.lastIndex = Math.max(end, begin + 1);
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
}

// A Python or JSON string from its quote to its end; an open one ends with its line, and so does a text without quotes.
function endOfQuoted(text: string, begin: number): number {
  const quote = text[begin];
  const limit = Math.min(text.length, begin + LONGEST);
  if (quote !== '"' && quote !== "'") {
    const comma = text.indexOf(', params: ', begin);
    const feed = text.indexOf('\n', begin);
    const line = feed === -1 ? limit : Math.min(feed, limit);
    return comma !== -1 && comma < line ? comma : line;
  }
  for (let i = begin + 1; i < limit; i++) {
    if (text[i] === '\\') i += 1;
    else if (text[i] === quote) return i + 1;
    else if (text[i] === '\n') return i;
  }
  return limit;
}

function feeds(text: string): string {
  return '\n'.repeat(text.split('\n').length - 1);
}
