/** From here on the line holds what a user wrote: never evidence. */
const PROMPT =
  /[Pp]rompt: ?['"]|prompt=['"]|'prompt': ?['"]|"prompt": ?"|'content': ?['"]|"content": ?"|GenerateReqInput\(|inputs"?: ?"/;

// The same without quotes, as debug lines and own models print it. `Error for prompt: CUDA out of memory` is the engine's.
const BARE_PROMPT = /\b(?:[Pp]rompt|[Ii]nputs?|[Qq]uestion|[Uu]ser message|[Mm]essages): /;
const COMPLAINS = /error|exception|fail|fatal|critical|could not|unable|abort|reject|invalid/i;

/** From here on the line repeats the engine's settings: figures and arguments may be read from it, failures may not. */
const ECHO =
  /non-default args:|Namespace\(| with config: |ServerArgs\(|EngineArgs\(|EngineConfig\(|text_generation_launcher: Args \{/;

export type Masks = { readonly promptAt: number; readonly echoAt: number };

/** Where in a line the words of users and the echo of settings begin; the line's length where they do not. */
export function findMasks(line: string): Masks {
  const promptAt = Math.min(place(line, PROMPT), barePrompt(line));
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
