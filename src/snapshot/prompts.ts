import { endOfList, lineFeeds, quotedAt } from './quoted-text.ts';

// Where request-log lines hold a user's words. Each expression ends just before the text.
// Sources: vllm/entrypoints/logger.py and vllm/engine/async_llm_engine.py; sglang/srt/managers/tokenizer_manager.py; text-generation-inference router/src/server.rs.
const STARTS: readonly { readonly find: RegExp; readonly literals: readonly string[] }[] = [
  { literals: ['Received request '], find: /Received request [^\n]{0,200}?prompt: /g },
  { literals: ['Generated response '], find: /Generated response [^\n]{0,200}?output: /g },
  { literals: ['details: '], find: /Request [^\n]{1,200}? details: prompt: /g },
  { literals: ['text='], find: /(?<![A-Za-z0-9_])text=(?=\\{0,15}["']|\[)/g },
  { literals: ['text'], find: /\\{0,15}["']text\\{0,15}["']\s?:\s?(?=\\{0,15}["'])/g },
  { literals: ['inputs'], find: /(?<![A-Za-z0-9_])inputs\\{0,15}["']?[:=]\s?(?=\\{0,15}["']|\[)/g },
  {
    literals: ['input'],
    find: /(?<![A-Za-z0-9])input(?:_value|_text)?\\{0,15}["']?\s?[:=]\s?(?=\\{0,15}["']|\[\s?["'])/g,
  },
  {
    literals: ['prompt'],
    find: /(?<![A-Za-z0-9])prompts?(?:_text)?\\{0,15}["']?\s?[:=]\s?(?=\\{0,15}["']|\[\s?["'])/g,
  },
  { literals: ['content'], find: /\\{0,15}["'](?:reasoning_)?content\\{0,15}["']\s?:\s?(?=\\{0,15}["'])/g },
  { literals: ['content='], find: /(?<![A-Za-z0-9_])content=(?=\\{0,15}["'])/g },
  { literals: ['put: '], find: /text_generation_router[^\n]{0,200}?: (?:Input|Output): /g },
  { literals: ['put: '], find: /"message":"(?:Input|Output): /g },
];
const IDS =
  /(?<![A-Za-z0-9]|stop_|eos_|bos_|bad_|suppress_|allowed_)(?:prompt_token_ids|input_ids|token_ids|output_ids|output_token_ids)\\{0,15}["']?\s?[:=]\s?(?=\[)/g;

type Words = { readonly end: number; readonly length: number };

/** Replaces users' words in request logs by their length: `[redacted:prompt 812 characters]`. Lines stay lines. */
export function redactPrompts(text: string): string {
  const withoutIds = text.includes('_ids') ? redactAfter(text, IDS, idsAt) : text;
  return STARTS.reduce(
    (rest, { find, literals }) =>
      literals.some((word) => rest.includes(word)) ? redactAfter(rest, find, wordsAt) : rest,
    withoutIds,
  );
}

type Reader = (text: string, begin: number) => { readonly end: number; readonly says: string } | undefined;

function redactAfter(text: string, start: RegExp, read: Reader): string {
  const pieces: string[] = [];
  let from = 0;
  start.lastIndex = 0;
  for (let found = start.exec(text); found !== null; found = start.exec(text)) {
    const begin = found.index + found[0].length;
    const words = text.startsWith('[redacted:', begin) ? undefined : read(text, begin);
    start.lastIndex = Math.max(words?.end ?? begin, begin);
    if (words === undefined || words.end <= begin) continue;
    pieces.push(text.slice(from, begin), `[redacted:${words.says}]${lineFeeds(text.slice(begin, words.end))}`);
    from = words.end;
  }
  return pieces.length === 0 ? text : pieces.join('') + text.slice(from);
}

const wordsAt: Reader = (text, begin) => {
  const words = findWords(text, begin);
  return words === undefined ? undefined : { end: words.end, says: `prompt ${words.length} characters` };
};

const LIST_OF_IDS = /\[[\d,[\] \t]*/y;

// Nothing but numbers, commas and brackets: what follows is never read for a list that does not close.
const idsAt: Reader = (text, begin) => {
  LIST_OF_IDS.lastIndex = begin;
  const run = LIST_OF_IDS.exec(text)?.[0] ?? '';
  const end = endOfList(run, 0);
  const ids = run.slice(0, end);
  return /\d/.test(ids) ? { end: begin + end, says: `${ids.split(',').length} token ids` } : undefined;
};

// A Python or JSON string, a list of them, or, without quotes, the rest of the line up to the parameters.
function findWords(text: string, begin: number): Words | undefined {
  const quoted = quotedAt(text, begin);
  if (quoted !== undefined) return { end: quoted.end, length: quoted.to - quoted.from };
  if (text[begin] === '[') {
    const end = endOfList(text, begin);
    return { end, length: Math.max(0, end - begin - 2) };
  }
  if (text.startsWith('None', begin)) return undefined;
  const feed = text.indexOf('\n', begin);
  const line = text.slice(begin, feed === -1 ? text.length : feed);
  const stop = line.search(/, (?:params|prompt_token_ids|sampling_params|finish_reason|output_token_ids): |"[,}]/);
  const length = stop === -1 ? line.length : stop;
  return { end: begin + length, length };
}
