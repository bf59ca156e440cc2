import type { Cited } from '../../model/engine-reader.ts';
import { parseSize } from '../../model/quantity.ts';
import { citeLine, type TextLine } from './lines.ts';
import { METRICS_FILE } from './prometheus.ts';

/** torch.cuda.memory_summary(): bytes now and at the peak, and how often memory ran out. */
export type TorchAccount = {
  readonly allocated: Cited<number> | undefined;
  readonly reserved: Cited<number> | undefined;
  readonly peakAllocated: Cited<number> | undefined;
  readonly peakReserved: Cited<number> | undefined;
  readonly nonReleasable: Cited<number> | undefined;
  readonly ooms: Cited<number> | undefined;
};

type Draft = { -readonly [K in keyof TorchAccount]?: TorchAccount[K] };

/** Reads the framed table line by line. Several devices: the one with most allocated stays. */
export class MemorySummary {
  #best: Draft | undefined;
  #open: Draft | undefined;

  take(line: TextLine): boolean {
    const text = line.text.trim();
    if (/PyTorch CUDA memory summary/.test(text)) {
      this.#close();
      this.#open = {};
      return true;
    }
    if (this.#open === undefined || !text.startsWith('|')) return false;
    const ooms = /CUDA OOMs:\s*(\d{1,9})/.exec(text);
    if (ooms !== null) this.#open.ooms = { value: Number(ooms[1]), from: citeLine(METRICS_FILE, line) };
    else this.#takeRow(this.#open, text, line);
    return true;
  }

  account(): TorchAccount | undefined {
    this.#close();
    const best = this.#best;
    if (best === undefined || Object.keys(best).length === 0) return undefined;
    return {
      allocated: best.allocated,
      reserved: best.reserved,
      peakAllocated: best.peakAllocated,
      peakReserved: best.peakReserved,
      nonReleasable: best.nonReleasable,
      ooms: best.ooms,
    };
  }

  #takeRow(draft: Draft, text: string, line: TextLine): void {
    const [, label = '', now = '', peak = ''] = text.split('|').map((cell) => cell.trim());
    const [current, highest] = [sizeOf(now, line), sizeOf(peak, line)];
    if (current === undefined) return;
    if (label === 'Allocated memory') Object.assign(draft, { allocated: current, peakAllocated: highest });
    if (label === 'GPU reserved memory') Object.assign(draft, { reserved: current, peakReserved: highest });
    if (label === 'Non-releasable memory') draft.nonReleasable = current;
  }

  #close(): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) return;
    if ((open.allocated?.value ?? 0) >= (this.#best?.allocated?.value ?? 0)) this.#best = open;
  }
}

// torch prints MiB under the name MB in older releases.
function sizeOf(cell: string, line: TextLine): Cited<number> | undefined {
  const bytes = parseSize(cell);
  return bytes === undefined ? undefined : { value: bytes, from: citeLine(METRICS_FILE, line) };
}
