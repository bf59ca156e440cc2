import type { LineCitation } from '../../../../model/citation.ts';
import { HINTS, type Read } from '../family.ts';
import { readCardRows } from './card-rows.ts';
import { likely, type Tale } from './tale.ts';
import { TOOL_ROWS } from './tool-rows.ts';

// Rows of `kubectl get pods`, df, nvidia-smi and its exporter, as a terminal prints them. What is mounted from an image is
// always full.
const ROWS: readonly Tale[] = [
  likely(
    'none.gpu-fault',
    /\bERR!|\bDCGM_FI_DEV_(?:XID_ERRORS|ROW_REMAP_(?:FAILURE|PENDING)|ECC_DBE_VOL_TOTAL)\S* [1-9]/,
  ),
  // Conditions of a node problem detector, and the kernel's reports of PCI Express (drivers/pci/pcie/aer.c).
  likely(
    'none.gpu-fault',
    /^\s*(?:Gpu|GPU|Nv[Ll]ink|NVLink|NVLINK|XID|Xid)\w{0,24}(?:Errors?|Fault|Missing|Lost|Failure|Unhealthy)\s+True\s/,
    /\bnvidia [\da-f]{4}:[\da-f:.]{7}: AER: |\bAER: Uncorrect(?:ed|able) \((?:Fatal|Non-Fatal)\)/,
  ),
  likely('none.driver', /^\s*No devices were found\s*$|^NVIDIA-SMI has failed\b|^Failed to initialize NVML\b/),
  likely('none.scheduling', /^\S{1,253}\s+0\/\d{1,2}\s+Pending\s+\d/),
  likely(
    'none.config',
    /^\S{1,253}\s+0\/\d{1,2}\s+(?:Init:)?(?:ErrImagePull|ImagePullBackOff|InvalidImageName|CreateContainerConfigError)\s/,
  ),
  likely(
    'none.other',
    /^\S{1,80}\s+[\d.]{1,8}[KMGTP]i?\s+[\d.]{1,8}[KMGTP]i?\s+\S{1,8}\s+(?:99|100)% \/(?!dev\/shm|snap|boot|mnt\/cdrom|media|run)/,
  ),
];

const ENDED_WELL = /^\s*Reason:\s+Completed\s*$/;
const EXIT_CODE = /^\s*Exit Code:\s+(\d{1,3})\b/;

/** What rows of tables show that are pasted without a word. */
export function readRows(lines: readonly LineCitation[]): readonly Read[] {
  const read = [...ROWS, ...TOOL_ROWS].flatMap(({ starting, serving, score, tells }) => {
    const from = lines.find(({ text }) => tells(text));
    return from === undefined ? [] : [{ family: { plane: 'none' as const, starting, serving }, score, from }];
  });
  const cards = readCardRows(lines).map(({ cause, from }) => ({
    family: { plane: 'none' as const, starting: cause, serving: cause },
    score: HINTS,
    from,
  }));
  return [...read, ...cards, ...readCompleted(lines)];
}

// A container that is started again and again after it ended without a failure. An init container that did so is none.
function readCompleted(lines: readonly LineCitation[]): readonly Read[] {
  const codes = lines.map(({ text }) => EXIT_CODE.exec(text)?.[1]).filter((code) => code !== undefined);
  const from = lines.find(({ text }) => ENDED_WELL.test(text));
  if (from === undefined || codes.some((code) => code !== '0')) return [];
  return [{ family: { plane: 'none', starting: 'none.other', serving: 'none.other' }, score: HINTS, from }];
}
