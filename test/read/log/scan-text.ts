import type { Hit, LogReading } from '../../../src/model/log-reading.ts';
import type { Signature } from '../../../src/model/signature.ts';
import { type CompiledSignatures, compileSignatures } from '../../../src/read/log/compile.ts';
import { createLogScanner } from '../../../src/read/log/scanner.ts';
import { SIGNATURES } from '../../playbooks/built-in.ts';

export const compiled: CompiledSignatures = compileSignatures(SIGNATURES);

/** A signature of weight proof that is found by its text. */
export function aSignature(over: Partial<Signature> = {}): Signature {
  return {
    id: 'test.signature',
    engine: 'test',
    versions: 'all',
    where: 'log',
    plane: 'gpu',
    phase: 'any',
    causes: [],
    weight: 'proof',
    literals: ['the pool is empty'],
    text: over.pattern === undefined ? 'the pool is empty' : undefined,
    must: ['the pool is empty'],
    source: 'none',
    ...over,
  };
}

/** Scans bytes or text, whole or cut at the given places. */
export function scan(log: string | Uint8Array, options: { with?: CompiledSignatures; cuts?: readonly number[] } = {}) {
  const bytes = typeof log === 'string' ? Buffer.from(log, 'utf8') : log;
  const scanner = createLogScanner(options.with ?? compiled, { file: 'previous.log' });
  let from = 0;
  for (const cut of [...(options.cuts ?? [])].sort((a, b) => a - b)) {
    scanner.push(bytes.subarray(from, cut));
    from = Math.max(from, cut);
  }
  scanner.push(bytes.subarray(from));
  return scanner.finish();
}

export function hitsOf(reading: LogReading, id: string): readonly Hit[] {
  return reading.hits.filter((hit) => hit.id === id);
}

export const OOM_LINE =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 1.02 GiB. GPU 0 has a total capacity of 79.33 GiB of which 109.81 MiB is free. Process 2377657 has 79.19 GiB memory in use. Of the allocated memory 67.68 GiB is allocated by PyTorch, with 76.00 MiB allocated in private pools (e.g., CUDA Graphs), and 1.14 GiB is reserved by PyTorch but unallocated.';
