import type { CompiledPhrases } from '../../read/log/compile.ts';
import { FRAME } from '../evidence/frame-line.ts';
import { type Line, readCutLine } from './cut-line.ts';
import { HINTS, type Read } from './family.ts';
import { LACK } from './words-of-memory.ts';

// PyTorch takes memory of the device here and, for what is already there, nowhere else.
const TAKES =
  /(?<![\w.])torch\.(?:empty|zeros|ones|full|cat|concat|stack|empty_like|zeros_like|empty_strided)\(|\.(?:new_empty|new_zeros|contiguous|repeat_interleave|cuda|clone)\(/;
// Of RAM, or of no device at all.
const ELSEWHERE = /\bpin_memory\b|\bpinned\b|["']cpu["']|\bcpu\b|\bmeta\b|_host\b|\bhost_/i;
const CARETS = /^[\s^~]*$/;
const GPU = LACK.find(({ plane }) => plane === 'gpu');

/** What a log was about to say where it breaks off: in its last line, or below the last call of a traceback. */
export function readCut(lines: readonly Line[], phrases: CompiledPhrases): Read | undefined {
  return readCutLine(lines, phrases) ?? readCutCall(lines);
}

/**
 * A traceback that breaks off below its last call, where that call takes memory of the device and does nothing else: the
 * error that is cut away is most often that there was none.
 */
function readCutCall(lines: readonly Line[]): Read | undefined {
  const shown = lines.filter(({ said }) => !CARETS.test(said));
  const [frame, call] = shown.slice(-2);
  if (GPU === undefined || frame === undefined || call === undefined || !FRAME.test(frame.said)) return undefined;
  const takes = TAKES.test(call.said) && !ELSEWHERE.test(call.said) && !ELSEWHERE.test(frame.said);
  return takes ? { family: GPU, score: HINTS, from: call.from } : undefined;
}
