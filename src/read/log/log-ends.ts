import { cleanLine } from './clean-line.ts';
import type { Block } from './lines.ts';
import { decodeBytes } from './match-segment.ts';

/** Signatures of the ends are looked for in this much of the log's beginning and end. */
export const HEAD_BYTES = 256 * 1024;
export const CRASH_BYTES = 512 * 1024;

const TAIL_BYTES = 64 * 1024;
/** Lines looked at for a time at either end of the log. */
const TIMED_LINES = 300;

/** A block that was scanned, and the places in it where a hit line begins. */
type KeptBlock = { readonly block: Block; readonly hitPlaces: ReadonlySet<number> };

/** The last blocks of the log, at least 512 KiB of it where it has as much. */
export type Ends = {
  keep(block: Block, hitPlaces: ReadonlySet<number>): void;
  blocks(): readonly KeptBlock[];
  /** The last lines as text, at most 64 KiB. */
  tail(): string;
  lastTime(): number | undefined;
};

export function createEnds(): Ends {
  const kept: KeptBlock[] = [];
  let size = 0;
  const text = (most: number) => tailText(kept, most);
  return {
    keep(block, hitPlaces) {
      kept.push({ block, hitPlaces });
      size += block.text.length;
      while (kept[0] !== undefined && size - kept[0].block.text.length >= CRASH_BYTES) {
        size -= kept[0].block.text.length;
        kept.shift();
      }
    },
    blocks: () => kept,
    tail: () => decodeBytes(text(TAIL_BYTES)),
    lastTime: () => findTime(text(TAIL_BYTES).split('\n').toReversed()),
  };
}

/** Time of the first line that bears one, among the first lines of the text. */
export function firstTime(text: string): number | undefined {
  return findTime(text.slice(0, TAIL_BYTES).split('\n'));
}

function findTime(lines: readonly string[]): number | undefined {
  for (const line of lines.slice(0, TIMED_LINES)) {
    const at = cleanLine(line.slice(0, 200)).at;
    if (at !== undefined) return at;
  }
  return undefined;
}

function tailText(kept: readonly KeptBlock[], most: number): string {
  let text = '';
  for (const { block } of kept.toReversed()) {
    if (text.length >= most) break;
    text = block.text + text;
  }
  if (text.length <= most) return text;
  const cut = text.slice(-most);
  const feed = cut.indexOf('\n');
  return feed === -1 ? cut : cut.slice(feed + 1);
}
