import type { Hit, LogReading, LogScanner } from '../../model/log-reading.ts';
import { type BlockReader, createBlockReader } from './blocks.ts';
import { type CleanLine, cleanLine, nearestTime } from './clean-line.ts';
import type { CompiledSignatures } from './compile.ts';
import { type Block, type LineCount, ownersIn } from './lines.ts';
import { CRASH_BYTES, createEnds, type Ends, firstTime, HEAD_BYTES } from './log-ends.ts';
import { decodeBytes, matchSegment, type SegmentMatch } from './match-segment.ts';
import { gatedSegments, type Segment } from './segments.ts';
import { matchWrapped } from './wrapped-lines.ts';

/** `keepPerSignature`: hits kept per signature, the first and the last ones (32 by default); counts are always complete. */
type ScanOptions = { readonly file: string; readonly keepPerSignature?: number };

type Scan = {
  readonly compiled: CompiledSignatures;
  readonly keeper: HitKeeper;
  readonly count: LineCount;
  /** Signature and line of the hits in the first 256 KiB. */
  readonly early: Set<string>;
  firstAt: number | undefined;
};

/**
 * A scanner of one log. Memory is bounded whatever the size of the log or of a line: some 2 MiB and the kept hits.
 * Signatures of the whole log are looked for in every line; those of its ends in the first 256 KiB, in the last 512 KiB, and
 * on lines that another signature has hit.
 */
export function createLogScanner(compiled: CompiledSignatures, options: ScanOptions): LogScanner {
  const scan: Scan = {
    compiled,
    keeper: createHitKeeper(options.keepPerSignature ?? 32),
    count: { lines: 0, evidence: 0 },
    early: new Set(),
    firstAt: undefined,
  };
  const ends = createEnds();
  const reader = createBlockReader((block) => scanBlock(scan, block, ends));
  return {
    push: (chunk) => reader.push(chunk),
    finish: () => finish(scan, options.file, reader, ends),
  };
}

function scanBlock(scan: Scan, block: Block, ends: Ends): void {
  if (block.base < HEAD_BYTES) scan.firstAt ??= firstTime(block.text);
  const hitPlaces = scanWhole(scan, block);
  if (block.base < HEAD_BYTES) scanEnds(scan, block, { hitPlaces, from: 0, to: HEAD_BYTES });
  ends.keep(block, hitPlaces);
}

function finish(scan: Scan, file: string, reader: BlockReader, ends: Ends): LogReading {
  reader.finish();
  const from = Math.max(HEAD_BYTES, reader.bytes - CRASH_BYTES);
  for (const { block, hitPlaces } of ends.blocks()) {
    if (block.base + block.text.length <= from) continue;
    scanEnds(scan, block, { hitPlaces, from, to: Number.POSITIVE_INFINITY });
  }
  // Only a pasted log is hard-wrapped, and that is small.
  if (reader.bytes <= HEAD_BYTES) scanWrapped(scan, ends);
  return {
    file,
    hits: scan.keeper.hits(),
    counts: scan.keeper.counts,
    bytes: reader.bytes,
    lines: scan.count.lines,
    evidenceLines: scan.count.evidence,
    firstAt: scan.firstAt,
    lastAt: ends.lastTime(),
    tail: ends.tail(),
  };
}

// What a matched line says apart from its cause (the figures of an OOM line) is read wherever it stands.
function scanWhole(scan: Scan, block: Block): Set<number> {
  const hitPlaces = new Set<number>();
  for (const segment of gatedSegments(block, scan.compiled.wholeGate, scan.count)) {
    const matches = matchSegment(segment, segment.matchers);
    if (matches.length === 0) continue;
    hitPlaces.add(segment.start);
    record(scan, block, segment, matches);
    const owners = ownersIn(segment.raw, scan.compiled.endsGate);
    record(scan, block, segment, matchSegment(segment, owners));
  }
  return hitPlaces;
}

type EndsRange = { readonly hitPlaces: ReadonlySet<number>; readonly from: number; readonly to: number };

function scanEnds(scan: Scan, block: Block, range: EndsRange): void {
  for (const segment of gatedSegments(block, scan.compiled.endsGate)) {
    const at = block.base + segment.start;
    if (at < range.from || at >= range.to || range.hitPlaces.has(segment.start)) continue;
    record(scan, block, segment, matchSegment(segment, segment.matchers));
  }
}

function record(scan: Scan, block: Block, segment: Segment, matches: readonly SegmentMatch[]): void {
  for (const match of matches) {
    const { signature } = match.matcher;
    // The pieces of a line too long to be held overlap.
    if (segment.isRest && scan.keeper.has(signature.id, segment.line)) continue;
    const text = decodeBytes(segment.raw.slice(match.from, match.to));
    add(scan, {
      id: signature.id,
      signature: signature,
      line: segment.line,
      byte: block.base + segment.start + match.from,
      text,
      clean: cleanLine(text).clean,
      captures: match.captures,
      process: match.view.process,
      at: timeOf(scan, match.view),
    });
  }
}

function add(scan: Scan, hit: Hit): void {
  scan.keeper.add(hit);
  if (hit.byte < HEAD_BYTES) scan.early.add(`${hit.id} ${hit.line}`);
}

function timeOf(scan: Scan, view: CleanLine): number | undefined {
  if (view.at !== undefined) return view.at;
  if (view.head === undefined || scan.firstAt === undefined) return undefined;
  return nearestTime(view.head, scan.firstAt);
}

function scanWrapped(scan: Scan, ends: Ends): void {
  const text = ends
    .blocks()
    .map((kept) => kept.block.text)
    .join('');
  const isHit = (id: string, line: number) => scan.early.has(`${id} ${line}`);
  for (const found of matchWrapped(text, scan.compiled, isHit)) {
    add(scan, { ...found.hit, at: timeOf(scan, found.view) });
  }
}

/** Keeps the first and the last hits of each signature and counts all of them, so that memory does not grow with the log. */
type HitKeeper = {
  add(hit: Hit): void;
  has(id: string, line: number): boolean;
  /** In the order of the log. */
  hits(): Hit[];
  readonly counts: ReadonlyMap<string, number>;
};

type Kept = { readonly first: Hit[]; readonly last: Hit[]; next: number };

function createHitKeeper(keepPerSignature: number): HitKeeper {
  const half = Math.max(1, Math.ceil(keepPerSignature / 2));
  const kept = new Map<string, Kept>();
  const counts = new Map<string, number>();
  const newestLine = new Map<string, number>();
  return {
    counts,
    add(hit) {
      counts.set(hit.id, (counts.get(hit.id) ?? 0) + 1);
      newestLine.set(hit.id, hit.line);
      const entry = kept.get(hit.id) ?? { first: [], last: [], next: 0 };
      kept.set(hit.id, entry);
      if (entry.first.length < half) entry.first.push(hit);
      else {
        entry.last[entry.next] = hit;
        entry.next = (entry.next + 1) % half;
      }
    },
    has: (id, line) => newestLine.get(id) === line,
    hits: () =>
      [...kept.values()]
        .flatMap((entry) => [...entry.first, ...entry.last])
        .toSorted((a, b) => a.line - b.line || a.byte - b.byte),
  };
}
