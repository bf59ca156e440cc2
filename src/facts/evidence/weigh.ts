import type { LineCitation } from '../../model/citation.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import type { Signature } from '../../model/signature.ts';
import { hasRole } from '../../model/signature-roles.ts';

/** A hit with its signature and the file it stands in. */
export type Weighed = { readonly hit: Hit; readonly signature: Signature; readonly file: string };

const REPORT_LINES = 12;

/** Whether two lines belong to one report. */
export function isSameReport(a: Weighed, b: Weighed): boolean {
  return a.file === b.file && Math.abs(a.hit.line - b.hit.line) <= REPORT_LINES;
}

/** Whether a signature tells which memory it was, or that it was none. */
export function isDecidingPlane({ plane }: Signature): boolean {
  return plane === 'gpu' || plane === 'host' || plane === 'none';
}

/** Whether one line stands further down than another of the same log. */
export function isBelow(one: Weighed, other: Weighed): boolean {
  return one.file === other.file && one.hit.line > other.hit.line;
}

/** The same line, where it decides nothing. */
export function asContext({ signature, ...weighed }: Weighed): Weighed {
  return { ...weighed, signature: { ...signature, plane: 'unknown', phase: 'any', weight: 'context' } };
}

/** The hits of the log that matters, sorted by what they are worth. All lists are in the order of the log. */
export type Weighing = {
  readonly all: readonly Weighed[];
  /** Hits above the last run: of runs before it, or of what an engine prints before its banner. */
  readonly above: readonly Weighed[];
  /** The line that decides: the first proof, else the first strong or ruling-out line that could end a process. */
  readonly decisive: Weighed | undefined;
  readonly proofs: readonly Weighed[];
  readonly looksLike: Weighed | undefined;
  readonly hints: readonly Weighed[];
  /** Hits in text files that are no logs. */
  readonly noted: readonly Weighed[];
};

/**
 * The hits with their signatures, in the order of the logs. One line may bear several: `MemoryError: No enough free memory
 * blocks` is Python's word for RAM around an engine's own for its KV pool. The more particular one goes first.
 */
export function withSignatures(logs: readonly LogReading[]): Weighed[] {
  return logs.flatMap((log) =>
    log.hits
      .map((hit) => ({ hit, signature: hit.signature, file: log.file }))
      .toSorted((a, b) => a.hit.line - b.hit.line || particular(b.signature) - particular(a.signature)),
  );
}

/** How much a signature says: one that names a cause says more, then the one with the longer literal. */
function particular({ literals, causes }: Signature): number {
  return Math.max(...literals.map((literal) => literal.length)) + (causes.length > 0 ? CAUSE_COUNTS : 0);
}

// A signature that names a cause says more than any length of text without one.
const CAUSE_COUNTS = 1000;

/** A line that shows that a container ran. */
export function isOfEngine({ signature }: Weighed): boolean {
  return signature.where === 'log' && signature.engine !== 'kubernetes';
}

/** The line of the log at which it failed; undefined where another file decides, whose lines are numbered by themselves. */
export function lineOfFailure(
  { decisive }: Pick<Weighing, 'decisive'>,
  log: LogReading | undefined,
): number | undefined {
  return decisive?.file === log?.file ? decisive?.hit.line : undefined;
}

/** The line of a listing of mounts in which /dev/shm has nothing left. */
export function listedFull({ all, noted }: Pick<Weighing, 'all' | 'noted'>): Weighed | undefined {
  return [...all, ...noted].find(({ signature }) => hasRole(signature, 'shm-full'));
}

/** Where a hit can be looked up. */
export function citeHit({ hit, file }: Weighed): LineCitation {
  return { kind: 'line', file, line: hit.line, text: hit.text };
}
