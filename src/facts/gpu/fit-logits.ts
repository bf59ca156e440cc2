import { GIB, MIB } from '../../model/quantity.ts';

/** A number of rows and the sizes in bytes that a cell of theirs can have, the likeliest first. */
export type RowsOf = { readonly count: number; readonly bytes: readonly number[] };

export type LogitsFit<R extends RowsOf> =
  | { readonly kind: 'vague'; readonly why: string }
  | { readonly kind: 'none' }
  | { readonly kind: 'fits'; readonly rows: R; readonly bytes: number };

type Given<R extends RowsOf> = {
  /** Bytes of the request, as PyTorch printed them. */
  readonly want: number;
  readonly words: number;
  /** Ranks that share the vocabulary. */
  readonly ranks: number;
  readonly rows: readonly R[];
};

/**
 * The first rows whose logits over a vocabulary PyTorch would report as the request, those of 32 bits before others. A
 * match is no proof: by chance one comes for 1.4 of a hundred requests of any size (0.4 of those of layers), as test/facts/derive/logits-size.test.ts measures.
 */
export function fitLogits<R extends RowsOf>({ want, words, ranks, rows }: Given<R>): LogitsFit<R> {
  const why = whyVague(want);
  if (why !== undefined) return { kind: 'vague', why };
  const fitting = rows.flatMap((one) => tensorsOf(one, words, ranks)).filter(({ size }) => isReportedAs(size, want));
  const found = fitting.find(({ bytes }) => bytes === FLOAT) ?? fitting[0];
  return found === undefined ? { kind: 'none' } : { kind: 'fits', rows: found.rows, bytes: found.bytes };
}

const FLOAT = 4;

// Each rank computes its own part of the vocabulary in the format of the model, before the parts are gathered.
function tensorsOf<R extends RowsOf>(rows: R, words: number, ranks: number) {
  const cells = rows.count * words;
  const whole = rows.bytes.map((bytes) => ({ rows, bytes, size: cells * bytes }));
  return ranks > 1 ? [...whole, { rows, bytes: 2, size: (cells * 2) / ranks }] : whole;
}

// What is "tried to allocate" is the block, not the tensor: from 10 MiB on whole steps of 2 MiB (pytorch/pytorch
// c10/cuda/CUDACachingAllocator.cpp, get_allocation_size; below that 2 MiB or 20 MiB, whatever was asked for).
const STEP = 2 * MIB;

// Two decimals, in MiB below 1 GiB (the same file, format_size); the rest is of binary fractions.
function halfDigit(printed: number): number {
  return (printed < GIB ? MIB : GIB) * 0.00501;
}

/** Whether PyTorch reports a tensor of so many bytes as this. With cudaMallocAsync it prints the tensor itself. */
export function isReportedAs(bytes: number, printed: number): boolean {
  const near = (size: number) => Math.abs(size - printed) <= halfDigit(printed);
  return near(Math.ceil(bytes / STEP) * STEP) || near(bytes);
}

// Below it a step is 3% and more of the size, and any product meets it.
const LEAST = 64 * MIB;

// Tokens, heads and widths of layers are small numbers times powers of two, and so are their products.
const LARGEST_ODD = 15;

function whyVague(printed: number): string | undefined {
  if (printed < LEAST) return 'a request so small fits many tensors';
  const half = halfDigit(printed);
  const last = Math.floor((printed + half) / STEP);
  for (let steps = Math.ceil((printed - half) / STEP); steps <= last; steps += 1) {
    if (oddPart(steps) <= LARGEST_ODD) return 'many tensors have a size so round';
  }
  return undefined;
}

function oddPart(count: number): number {
  let odd = count;
  while (odd > 0 && odd % 2 === 0) odd /= 2;
  return odd;
}
