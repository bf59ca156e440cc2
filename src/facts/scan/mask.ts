/** From here on the line holds what a user wrote: never evidence. */
const PROMPT =
  /[Pp]rompt: ?['"]|prompt=['"]|'prompt': ?['"]|"prompt": ?"|'content': ?['"]|"content": ?"|GenerateReqInput\(|inputs"?: ?"/;

/** From here on the line repeats the engine's settings: figures and arguments may be read from it, failures may not. */
const ECHO =
  /non-default args:|Namespace\(| with config: |ServerArgs\(|EngineArgs\(|EngineConfig\(|text_generation_launcher: Args \{/;

export type Masks = { readonly promptAt: number; readonly echoAt: number };

/** Where in a line the words of users and the echo of settings begin; the line's length where they do not. */
export function findMasks(line: string): Masks {
  const promptAt = place(line, PROMPT);
  return { promptAt, echoAt: Math.min(promptAt, place(line, ECHO)) };
}

function place(line: string, marker: RegExp): number {
  const at = line.search(marker);
  return at === -1 ? line.length : at;
}
