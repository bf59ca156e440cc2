import { isOwnLine } from './own-lines.ts';
import { endOfList, lineFeeds, quotedAt } from './quoted-text.ts';

/** What stands at a place, and where it ends; undefined where nothing has to go. */
type Reader = (text: string, begin: number) => { readonly end: number; readonly says: string } | undefined;
type Start = { readonly find: RegExp; readonly literals: readonly string[]; readonly read?: Reader };

const CHARACTERS = (text: string, begin: number, end: number) =>
  text.startsWith('[redacted:', begin) ? undefined : { end, says: `prompt ${end - begin} characters` };

/** Up to what ends it, which may stand on a line below, and never into the next line of the engine. */
const upTo =
  (stop: RegExp | undefined): Reader =>
  (text, begin) =>
    CHARACTERS(text, begin, endOverLines(text, begin, stop));

// A Python or JSON string, a list of them, or, without quotes, the rest of the line up to the parameters.
const wordsAt: Reader = (text, begin) => {
  const quoted = quotedAt(text, begin);
  if (quoted !== undefined) {
    const end =
      quoted.end === quoted.to ? endOverLines(text, quoted.to, CLOSING[text[quoted.from - 1] ?? '']) : quoted.end;
    return { end, says: `prompt ${(quoted.end === quoted.to ? end : quoted.to) - quoted.from} characters` };
  }
  if (text[begin] === '[') {
    const end = endOfList(text, begin);
    return { end, says: `prompt ${Math.max(0, end - begin - 2)} characters` };
  }
  if (text.startsWith('None', begin)) return undefined;
  const line = text.slice(begin, endOfLine(text, begin));
  const stop = line.search(/, (?:params|prompt_token_ids|sampling_params|finish_reason|output_token_ids): |"[,}]/);
  return CHARACTERS(text, begin, begin + (stop === -1 ? line.length : stop));
};

const CLOSING: Readonly<Record<string, RegExp>> = { "'": /'(?=[,)}\]]|\s*$)/, '"': /"(?=[,)}\]]|\s*$)/ };

const PART_OF_QUERY = /[^&\s"'<>\\]+/y;
const queryAt: Reader = (text, begin) => {
  PART_OF_QUERY.lastIndex = begin;
  return CHARACTERS(text, begin, begin + (PART_OF_QUERY.exec(text)?.[0].length ?? 0));
};

// A metric, or a function of one, is what Prometheus was asked.
const PROMQL = /\\{0,15}["'](?:[\w:]+\\{0,15}["']|[\w: ()]{0,60}[({])/y;
const questionAt: Reader = (text, begin) => {
  PROMQL.lastIndex = begin;
  return PROMQL.test(text) ? undefined : wordsAt(text, begin);
};

// Where logs hold a user's words. Each expression ends just before the text.
// Sources: vllm/entrypoints/logger.py and vllm/engine/async_llm_engine.py; sglang/srt/managers/tokenizer_manager.py;
// text-generation-inference router/src/server.rs; llama.cpp tools/server; LocalAI core/http/endpoints/openai/chat.go.
const STARTS: readonly Start[] = [
  { literals: ['Received request '], find: /Received request [^\n]{0,200}?prompt: /g },
  { literals: ['Generated response '], find: /Generated response [^\n]{0,200}?output: /g },
  { literals: ['details: '], find: /Request [^\n]{1,200}? details: prompt: /g },
  { literals: ['text='], find: /(?<![A-Za-z0-9_])text=(?=\\{0,15}["']|\[)/g },
  { literals: ['inputs'], find: /(?<![A-Za-z0-9_])inputs\\{0,15}["']?[:=]\s?(?=\\{0,15}["']|\[)/g },
  {
    literals: ['input'],
    find: /(?<![A-Za-z0-9])input(?:_value|_text)?\\{0,15}["']?\s?[:=]\s?(?=\\{0,15}["']|\[\s?["'])/g,
  },
  {
    literals: ['rompt'],
    find: /(?<![A-Za-z0-9])[Pp]rompts?(?:_text)?\\{0,15}["']?\s?[:=]\s?(?=\\{0,15}["']|\[\s?["'])/g,
  },
  {
    // Fields of requests and answers: chat, completions, reranking, embeddings.
    literals: ['text', 'content', 'thinking', 'instructions', 'system', 'suffix'],
    find: /\\{0,15}["'](?:text(?:_output|_[12])?|generated_text|(?:reasoning_)?content|thinking|instructions|system|suffix)\\{0,15}["']\s?:\s?(?=\\{0,15}["'])/g,
  },
  {
    literals: ['documents', 'passages', 'queries', 'texts'],
    find: /\\{0,15}["'](?:documents|passages|queries|texts)\\{0,15}["']\s?:\s?(?=\[\s?\\{0,15}["'])/g,
  },
  { literals: ['query'], find: /\\{0,15}["']query\\{0,15}["']\s?:\s?(?=\\{0,15}["'])/g, read: questionAt },
  { literals: ['arguments'], find: /\\{0,15}["']arguments\\{0,15}["']\s?:\s?(?=\\{0,15}["']\{)/g },
  {
    literals: ['content=', 'thinking=', 'suffix='],
    find: /(?<![A-Za-z0-9_])(?:content|thinking|suffix)=(?=\\{0,15}["'])/g,
  },
  // Rust's debug of what may be missing, or of several kinds.
  {
    literals: ['Text(', 'Some(', 'String('],
    find: /(?<![A-Za-z0-9_])(?:content|inputs|prompt|chunk|suffix): (?:\w{1,20}\(){1,3}(?=\\{0,15}")/g,
  },
  { literals: ['put: '], find: /text_generation_router[^\n]{0,200}?: (?:Input|Output): /g, read: upTo(undefined) },
  { literals: ['put: '], find: /"message":"(?:Input|Output): /g },
  {
    literals: ['templating', 'Template found', 'formatted_chat', 'Generated text'],
    find: /(?:Prompt \(after templating\)|Template found, input modified to|formatted_chat(?:\.prompt)?|Generated text): /g,
    read: upTo(undefined),
  },
  {
    literals: [' token'],
    find: /(?<![A-Za-z])(?:next|prompt) token[ \d]{0,12}: {1,4}-?\d{1,9} (?=')/g,
    read: upTo(/$/),
  },
  // Templates of chats, where nothing names what they are.
  { literals: ['im_start'], find: /<\|im_start\|>[a-z]{1,20}(?:\\{1,15}n|\r?\n)/g, read: upTo(/<\|im_end\|>/) },
  { literals: ['end_header_id'], find: /<\|end_header_id\|>(?:\\{1,15}n|\r?\n){0,2}/g, read: upTo(/<\|eot_id\|>/) },
  { literals: ['[INST]'], find: /\[INST\] ?/g, read: upTo(/\[\/INST\]/) },
  { literals: ['start_of_turn'], find: /<start_of_turn>[a-z]{1,20}(?:\\{1,15}n|\r?\n)/g, read: upTo(/<end_of_turn>/) },
  { literals: ['<|message|>'], find: /<\|message\|>/g, read: upTo(/<\|(?:end|return|call)\|>/) },
  {
    // Access logs. What Prometheus is asked stays.
    literals: ['='],
    find: /(?<=[?&])(?<!\/(?:query|query_range|series|labels)\?)(?:prompt|text|q|query|inputs?|messages?|content|question)=/g,
    read: queryAt,
  },
];
const IDS =
  /(?<![A-Za-z0-9]|stop_|eos_|bos_|bad_|suppress_|allowed_)(?:prompt_token_ids?|prompt token ids|input_ids|token_ids|output_ids|output_token_ids)\\{0,15}["']?\s?[:=]\s?(?=\[)/g;

/** Replaces users' words in request logs by their length: `[redacted:prompt 812 characters]`. Lines stay lines. */
export function redactPrompts(text: string): string {
  const withoutIds = /_ids?|token ids/.test(text) ? redactAfter(text, IDS, idsAt) : text;
  return STARTS.reduce(
    (rest, { find, literals, read = wordsAt }) =>
      literals.some((word) => rest.includes(word)) ? redactAfter(rest, find, read) : rest,
    withoutIds,
  );
}

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

const LIST_OF_IDS = /\[[\d,[\] \t]*/y;

// Nothing but numbers, commas and brackets: what follows is never read for a list that does not close.
const idsAt: Reader = (text, begin) => {
  LIST_OF_IDS.lastIndex = begin;
  const run = LIST_OF_IDS.exec(text)?.[0] ?? '';
  const end = endOfList(run, 0);
  const ids = run.slice(0, end);
  return /\d/.test(ids) ? { end: begin + end, says: `${ids.split(',').length} token ids` } : undefined;
};

function endOverLines(text: string, begin: number, stop: RegExp | undefined): number {
  for (let at = begin; ; ) {
    const end = endOfLine(text, at);
    const found = stop === undefined ? -1 : text.slice(at, end).search(stop);
    if (found !== -1) return at + found;
    if (end === text.length || isOwnLine(text.slice(end + 1, endOfLine(text, end + 1)))) return end;
    at = end + 1;
  }
}

function endOfLine(text: string, from: number): number {
  const feed = text.indexOf('\n', from);
  return feed === -1 ? text.length : feed;
}
