import type { ReadBudget } from '../../app/ports.ts';
import type { Ending } from './assemble.ts';

export type StreamLimits = {
  readonly budget: ReadBudget;
  readonly signal: AbortSignal;
  readonly maxBytes: number;
  /** Asked after each chunk: true ends the reading. */
  readonly enough?: () => boolean;
};

/** Hands the chunks of a log to `sink` until it ends, breaks, or is enough. Never throws: what came before a break has been handed over. */
export async function readStream(
  chunks: AsyncIterable<Uint8Array>,
  sink: (chunk: Uint8Array) => void,
  { budget, signal, maxBytes, enough = () => false }: StreamLimits,
): Promise<Ending> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      budget.addBytes(chunk.byteLength);
      bytes += chunk.byteLength;
      sink(chunk);
      // Leaving the loop closes the connection.
      if (bytes >= maxBytes || enough()) return 'cap';
      if (budget.bytesLeft <= 0) return 'budget';
    }
    return 'end';
  } catch {
    return signal.aborted ? 'deadline' : 'dropped';
  }
}
