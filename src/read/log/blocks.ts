import type { Block } from './lines.ts';
import { findMasks } from './mask.ts';
import { type Lines, type Printed, withoutPrinted } from './printed-prompts.ts';

const BLOCK_BYTES = 256 * 1024;
/** A line longer than this is handed on in pieces; each begins with the end of the one before, so that a match is not cut. */
const LONGEST_CARRY = 256 * 1024;
const OVERLAP = 16 * 1024;

export type BlockReader = {
  push(chunk: Uint8Array): void;
  /** Hands on all whole lines that have arrived. */
  drain(): void;
  /** The line that is not yet ended. */
  pending(): Block;
  /** Hands on the rest; the last line is ended where it was not. */
  finish(): void;
  readonly bytes: number;
};

type State = {
  readonly buffer: Buffer;
  filled: number;
  bytes: number;
  carry: Block;
  /** A text of a user or a model that goes on in the carry. */
  printed: Printed | undefined;
};

/** Cuts a stream of bytes into blocks of whole lines. Blocks end at the same places whatever the split of the chunks. */
export function createBlockReader(emit: (block: Block) => void): BlockReader {
  const state: State = {
    buffer: Buffer.allocUnsafe(BLOCK_BYTES),
    filled: 0,
    bytes: 0,
    carry: { text: '', base: 0, line: 1, opens: 'line' },
    printed: undefined,
  };
  return {
    push: (chunk) => {
      for (let from = 0; from < chunk.length; ) {
        const room = BLOCK_BYTES - (state.bytes % BLOCK_BYTES);
        const part = chunk.subarray(from, from + room);
        state.buffer.set(part, state.filled);
        state.filled += part.length;
        state.bytes += part.length;
        from += part.length;
        if (state.bytes % BLOCK_BYTES === 0) drain(state, emit);
      }
    },
    drain: () => drain(state, emit),
    pending: () => ({ ...state.carry, text: ownOf(state, state.carry.text).text }),
    finish: () => {
      drain(state, emit);
      if (state.carry.text !== '') emit({ ...state.carry, text: ownOf(state, `${state.carry.text}\n`).text });
    },
    get bytes() {
      return state.bytes;
    },
  };
}

function drain(state: State, emit: (block: Block) => void): void {
  if (state.filled === 0) return;
  const text = state.carry.text + state.buffer.toString('latin1', 0, state.filled);
  state.filled = 0;
  const block = { ...state.carry, text };
  const end = text.lastIndexOf('\n') + 1;
  if (end > 0) {
    const own = ownOf(state, text.slice(0, end));
    state.printed = own.open;
    const whole = { ...block, text: own.text };
    emit(whole);
    state.carry = {
      text: text.slice(end),
      base: block.base + end,
      line: block.line + feeds(whole.text),
      opens: 'line',
    };
  } else if (text.length > LONGEST_CARRY) {
    emit(block);
    state.carry = restOf(block);
  } else {
    state.carry = block;
  }
}

function ownOf({ printed }: State, text: string): Lines {
  return withoutPrinted({ text, open: printed });
}

function restOf(piece: Block): Block {
  const cut = piece.text.length - OVERLAP;
  return { text: piece.text.slice(cut), base: piece.base + cut, line: piece.line, opens: opensRest(piece) };
}

// A prompt that began in this piece goes on in the next.
function opensRest(piece: Block): Block['opens'] {
  if (piece.opens === 'masked') return piece.opens;
  return findMasks(piece.text).echoAt < piece.text.length ? 'masked' : 'rest';
}

function feeds(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
