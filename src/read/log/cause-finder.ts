import type { CauseFinder } from '../../model/log-reading.ts';
import { createBlockReader } from './blocks.ts';
import type { CompiledSignatures } from './compile.ts';
import type { Block } from './lines.ts';
import { matchSegment } from './match-segment.ts';
import { gatedSegments } from './segments.ts';
import { isWeighty } from './signs-of-work.ts';

/** A cause finder over the signatures of weight proof and strong; a fifth of the work of a scanner, which reads all of them. */
export function createCauseFinder(compiled: CompiledSignatures): CauseFinder {
  let found = false;
  const reader = createBlockReader((block) => {
    found ||= holdsCause(compiled, block);
  });
  return {
    push: (chunk) => reader.push(chunk),
    get foundCause() {
      reader.drain();
      // The line that is not yet ended may be the last one.
      return found || holdsCause(compiled, reader.pending());
    },
  };
}

function holdsCause(compiled: CompiledSignatures, block: Block): boolean {
  for (const segment of gatedSegments(block, compiled.wholeGate)) {
    const causes = [...segment.matchers].filter(({ signature }) => isWeighty(signature));
    if (causes.length > 0 && matchSegment(segment, causes).length > 0) return true;
  }
  return false;
}
