import type { Cited } from '../../model/engine-reader.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { parseSize } from '../../model/quantity.ts';
import { citeHit } from './placed-hit.ts';

/** torch.cuda.memory_summary(): what one process has of one device, and how often memory ran out there. */
export type TorchAccount = {
  readonly device: number;
  readonly allocated?: Cited<number>;
  readonly reserved?: Cited<number>;
  readonly nonReleasable?: Cited<number>;
  readonly ooms?: Cited<number>;
};

const LINE = 'torch.num.summary';
const ROWS: Readonly<Record<string, 'allocated' | 'reserved' | 'nonReleasable'>> = {
  'Allocated memory': 'allocated',
  'GPU reserved memory': 'reserved',
  'Non-releasable memory': 'nonReleasable',
};

type Draft = { -readonly [K in keyof TorchAccount]: TorchAccount[K] };

/** The summaries in a log or a text file; of one process and device the last. */
export function readSummaries({ file, hits }: LogReading): readonly TorchAccount[] {
  const done = new Map<string, Draft>();
  const open = new Map<string | undefined, Draft>();
  for (const hit of hits.filter(({ id }) => id === LINE)) {
    const { device } = hit.captures;
    if (device !== undefined) {
      const draft: Draft = { device: Number(device) };
      open.set(hit.process, draft).set(undefined, draft);
      done.set(`${hit.process} ${device}`, draft);
    }
    // The table is one message of several lines: often the first alone bears the process.
    const draft = open.get(hit.process);
    if (draft !== undefined) takeLine(draft, hit, file);
  }
  return [...done.values()];
}

function takeLine(draft: Draft, hit: Hit, file: string): void {
  const { ooms, row = '', now } = hit.captures;
  const from = citeHit({ hit, file });
  if (ooms !== undefined) draft.ooms = { value: Number(ooms), from };
  const field = ROWS[row];
  const value = now === undefined ? undefined : parseSize(now);
  if (field !== undefined && value !== undefined) draft[field] = { value, from };
}
