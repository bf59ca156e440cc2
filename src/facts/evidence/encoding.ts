import type { LineCitation } from '../../model/citation.ts';

// The server of llama.cpp and its library for images and sound, before they encode and after it (ggml-org/llama.cpp
// tools/server/server.cpp, process_chunk; tools/mtmd/mtmd-helper.cpp, mtmd_helper_eval_chunk_single).
const BEGINS = /\bprocess_chun\w{0,2}: processing (?:image|audio)|(?:^|[\s:])encoding (?:image|audio|mtmd) slice\b/;
const ENDS = /\b(?:image|audio|mtmd) (?:slice )?(?:processed|encoded|decoded) (?:\([^)]{0,40}\) )?in \d/;

/** The line that says that media are encoded, where none says before `end` that it was done. */
export function readEncoding(lines: readonly LineCitation[], end: number): LineCitation | undefined {
  const last = lines.findLast(({ line, text }) => line < end && (BEGINS.test(text) || ENDS.test(text)));
  return last !== undefined && BEGINS.test(last.text) ? last : undefined;
}
