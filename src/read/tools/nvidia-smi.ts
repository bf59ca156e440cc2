import type { Cited } from '../../model/engine-reader.ts';
import { seriesFrom, type TextSeries } from '../metrics/text-series.ts';
import { allLines, type TextLine } from '../text/lines.ts';
import { parseTime, parseTimeOfDay } from '../text/when.ts';
import { SmiCsv } from './smi-csv.ts';
import { SmiLoose } from './smi-loose.ts';
import { SmiMonitor } from './smi-monitor.ts';
import type { SmiFinding, SmiObservation, SmiProcess } from './smi-observation.ts';
import { SmiTable } from './smi-table.ts';

export type { SmiProcess };

/** One device as the newest block shows it. Sizes in bytes, shares 0 to 1. */
export type SmiGpu = {
  readonly index: number | undefined;
  readonly name: Cited<string> | undefined;
  readonly used: Cited<number> | undefined;
  readonly total: Cited<number> | undefined;
  /** A MIG slice of that GPU, as `GI/CI`; the GPU itself is then not listed. */
  readonly slice?: string;
};

export type SmiReading = {
  readonly gpus: readonly SmiGpu[];
  readonly processes: readonly SmiProcess[];
  readonly series: readonly TextSeries[];
};

/** nvidia-smi.txt in any form: table, csv, repeated blocks, dmon, pmon, or loose lines. Never throws. */
export function readNvidiaSmi(text: string): SmiReading {
  const reader = new SmiReader();
  for (const line of allLines(text)) reader.take(line);
  return reader.reading();
}

type Seen = SmiObservation & { readonly index: number };

// One query lists its GPUs at once, the next one is a second later.
const NEXT_QUERY_MS = 500;
// How many GPUs nodes have: rows of another number that bear no index are of one GPU, read again and again.
const GPUS_OF_NODES: readonly number[] = [1, 2, 4, 6, 8, 10, 16];

class SmiReader {
  // The order is that of certainty: a framed row is never taken for prose.
  readonly #forms = [new SmiMonitor(), new SmiTable(), new SmiCsv(), new SmiLoose()];
  readonly #seen: Seen[] = [];
  readonly #processes = new Map<string, SmiProcess>();
  #blockAt: number | undefined;
  #rowAt: number | undefined;
  #counted = 0;
  #nextIndex = 0;

  take(line: TextLine): void {
    const text = line.text.trim();
    if (text === '' || this.#takeTime(text)) return;
    const finding = this.#findingOf(line);
    if (finding === undefined) return;
    // A header means a new block: what has no index is counted from 0 again.
    if (finding.isHeader === true) this.#nextIndex = 0;
    for (const gpu of finding.gpus ?? []) this.#takeGpu(gpu);
    for (const process of finding.processes ?? []) this.#processes.set(`${process.gpu}/${process.pid}`, process);
  }

  reading(): SmiReading {
    const isOneGpu = this.#counted > 0 && !GPUS_OF_NODES.includes(this.#counted);
    const seen = isOneGpu ? this.#seen.map((gpu) => ({ ...gpu, index: 0 })) : this.#seen;
    const indexes = [...new Set(seen.map((gpu) => gpu.index))];
    return {
      gpus: indexes.flatMap((index) => devicesOf(seen, index)),
      processes: [...this.#processes.values()],
      series: indexes.flatMap((index) => seriesOf(seen, index)),
    };
  }

  #findingOf(line: TextLine): SmiFinding | undefined {
    for (const form of this.#forms) {
      const finding = form.take(line);
      if (finding !== undefined) return finding;
    }
    return undefined;
  }

  // A line that is a time and little else, between blocks. The csv form has its own column for it.
  #takeTime(text: string): boolean {
    if (text.startsWith('|') || text.includes(',') || text.length > 48) return false;
    const bare = text.replaceAll(/^[-=\s]+|[-=\s]+$/g, '').replace(/^Timestamp\s*:\s*/, '');
    const at = /[A-Z][a-z]{2,8}|\d{4}/.test(bare) ? parseTime(bare) : parseTimeOfDay(bare);
    if (at === undefined) return false;
    this.#blockAt = at;
    this.#nextIndex = 0;
    return true;
  }

  #takeGpu(gpu: SmiObservation): void {
    const at = gpu.at ?? this.#blockAt;
    const index = gpu.index ?? this.#countedIndex(gpu.at);
    this.#nextIndex = index + 1;
    this.#seen.push({ ...gpu, index, ...(at === undefined ? {} : { at }) });
  }

  // Rows without an index are the GPUs of a block in their order.
  #countedIndex(at: number | undefined): number {
    const before = this.#rowAt;
    this.#rowAt = at;
    const isNext = at !== undefined && before !== undefined && at - before >= NEXT_QUERY_MS;
    const index = isNext ? 0 : this.#nextIndex;
    this.#counted = Math.max(this.#counted, index + 1);
    return index;
  }
}

// No process can use more than its slice, so the size of the whole GPU says nothing where it has slices.
function devicesOf(all: readonly Seen[], index: number): readonly SmiGpu[] {
  const slices = new Set(all.flatMap((gpu) => (gpu.index === index && gpu.slice) || []));
  const name = newest(all, index).name;
  if (slices.size === 0) return [newest(all, index)];
  return [...slices].map((slice) => ({ ...newest(all, index, slice), name, slice }));
}

function newest(all: readonly Seen[], index: number, slice?: string): SmiGpu {
  const own = all.filter((gpu) => gpu.index === index && gpu.slice === slice).toReversed();
  const last = <K extends keyof SmiObservation>(key: K): SmiObservation[K] | undefined =>
    own.find((gpu) => gpu[key] !== undefined)?.[key];
  return {
    index,
    name: last('name'),
    used: last('used'),
    total: last('total') ?? sumOf(last('used'), last('free')),
  };
}

function seriesOf(all: readonly Seen[], index: number): readonly TextSeries[] {
  const own = all.filter((gpu) => gpu.index === index && gpu.slice === undefined);
  return seriesFrom(
    { id: 'gpu.framebuffer.used', unit: 'bytes', labels: { gpu: String(index) } },
    own.map((gpu) => ({ at: gpu.at, sample: gpu.used })),
  );
}

function sumOf(used: Cited<number> | undefined, free: Cited<number> | undefined): Cited<number> | undefined {
  return used && free && { value: used.value + free.value, from: used.from };
}
