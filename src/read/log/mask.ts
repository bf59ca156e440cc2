import { anyOf } from '../text/patterns.ts';

// What a user wrote, quoted, by its name. A logger of JSON that calls its own message "text" has it first in the record.
const PROMPT =
  /[Pp]rompt: ?['"]|prompt=['"]|'prompt': ?['"]|"prompt": ?"|'content': ?['"]|\bcontent=['"]|"content\\?": ?\\?"|GenerateReqInput\(|inputs"?: ?"|, ?\\?"text\\?": ?\\?"/;

// What a model wrote: vLLM's log of requests (entrypoints/logger.py, request_logger.py), its server's log of answers
// (entrypoints/openai/api_server.py), and its template, which quotes the message that it refuses (Jinja's TemplateError).
const ANSWER =
  /\bGenerated response |\bresponse_body=|"(?:reasoning(?:_content)?|thinking)\\?": ?\\?"|\bTemplateError: |\bassert [\w.]{1,60}\(['"]/;

// The same without quotes, as debug lines and own models print it, and the examples of vLLM, which set texts in columns.
// `Error for prompt: CUDA out of memory` is the engine's.
const BARE_PROMPT =
  /\b(?:(?:[Pp]rompt|[Ii]nputs?|[Qq]uestion|[Uu]ser message|[Mm]essages|Generated text): |Output: {1,8}['"])/;
const COMPLAINS = /error|exception|fail|fatal|critical|could not|unable|abort|reject|invalid/i;

/** From here on the line repeats the engine's settings: figures and arguments may be read from it, failures may not. */
const ECHO =
  /non-default args:|Namespace\(| with config: |ServerArgs\(|EngineArgs\(|EngineConfig\(|text_generation_launcher: Args \{/;

// SGLang's log of requests, in words and as JSON (utils/request_logger.py), and what other engines print as it is
// (printed-prompts.ts): all that follows is the user's or the model's.
const REQUEST = anyOf(
  '',
  /\b(?:Receive(?: OpenAI)?|Finish): obj=|"event": ?"request\.(?:received|finished)"/,
  /\bPrompt \(after templating\): |\bTemplate found, input modified to: /,
  /router\/src\/server\.rs:\d{1,6}: (?:Input|Output): |\bformatted_chat(?:\.prompt)?: /,
);

type Masks = { readonly promptAt: number; readonly echoAt: number };

/** Where in a line the words of users and models and the echo of settings begin; the line's length where they do not. */
export function findMasks(line: string): Masks {
  // From there on the line holds what a user or a model wrote: never evidence.
  const promptAt = Math.min(place(line, PROMPT), place(line, ANSWER), place(line, REQUEST), barePrompt(line));
  return { promptAt, echoAt: Math.min(promptAt, place(line, ECHO)) };
}

function barePrompt(line: string): number {
  const at = place(line, BARE_PROMPT);
  return COMPLAINS.test(line.slice(0, at)) ? line.length : at;
}

function place(line: string, marker: RegExp): number {
  const at = line.search(marker);
  return at === -1 ? line.length : at;
}
