import type { LineCitation } from '../../../../model/citation.ts';
import type { Cause } from '../../../../model/taxonomy.ts';
import { anyOf } from '../../../text/patterns.ts';

export type CardRow = { readonly cause: Extract<Cause, `none.${string}`>; readonly from: LineCitation };

// Fields of `nvidia-smi -q`, each under its heading (man page of nvidia-smi: ECC Errors, Retired Pages, Remapped Rows,
// Clocks Event Reasons).
const FAULT_FIELD = anyOf(
  '',
  /^\s*(?:(?:SRAM|DRAM) Uncorrectable[\w -]{0,20}|Double Bit ECC|Uncorrectable Error)\s*: [1-9]/,
  /^\s*(?:Pending Page Blacklist|Remapping Failure Occurred)\s*: Yes\b/,
  /^\s*GPU Recovery Action\s*: (?:Reset|Reboot|Drain)/,
);
const HOT_FIELD = /^\s*(?:SW Thermal Slowdown|HW Thermal Slowdown|HW Power Brake Slowdown)\s*: Active\b/;
// Columns of `nvidia-smi --query-gpu`.
const FAULT_COLUMN =
  /\b(?:ecc\.errors\.uncorrected\.|remapped_rows\.(?:pending|failure|uncorrectable)|retired_pages\.(?:pending|double_bit))/;
const REASONS_COLUMN = /\bclocks_(?:event|throttle)_reasons\.active\b/;
const HOT_COLUMN = /\bclocks_(?:event|throttle)_reasons\.(?:[sh]w_thermal_slowdown|hw_power_brake_slowdown)\b/;
const SHOWN = /^(?:[1-9]\d{0,9}|Yes)$/;
// nvml.h: nvmlClocksEventReasonSwThermalSlowdown, HwThermalSlowdown and HwPowerBrakeSlowdown.
const HOT_BITS = 0x20 | 0x40 | 0x80;
// A card that is hot is slow; who ended did so of something else.
const ENDED =
  /\bExit Code:\s+[1-9]|\b(?:OOMKilled|CrashLoopBackOff)\b|\b[Kk]illed process\b|\bOutOfMemory|\bout of memory\b/;

/** What nvidia-smi shows of a card that is broken, or that slows itself down. */
export function readCardRows(lines: readonly LineCitation[]): readonly CardRow[] {
  const fault =
    lines.find(({ text }) => FAULT_FIELD.test(text)) ??
    inColumns(lines, (name, cell) => FAULT_COLUMN.test(name) && SHOWN.test(cell));
  if (fault !== undefined) return [{ cause: 'none.gpu-fault', from: fault }];
  if (lines.some(({ text }) => ENDED.test(text))) return [];
  const hot = lines.find(({ text }) => HOT_FIELD.test(text)) ?? inColumns(lines, isHot);
  return hot === undefined ? [] : [{ cause: 'none.other', from: hot }];
}

function isHot(name: string, cell: string): boolean {
  if (HOT_COLUMN.test(name)) return cell === 'Active';
  return REASONS_COLUMN.test(name) && /^0x[0-9a-f]{1,16}$/i.test(cell) && (Number(cell) & HOT_BITS) !== 0;
}

// The first row below its header with such a cell. A header names its columns, and a row has as many.
function inColumns(
  lines: readonly LineCitation[],
  tells: (name: string, cell: string) => boolean,
): LineCitation | undefined {
  let names: readonly string[] = [];
  for (const line of lines) {
    const cells = line.text.split(',').map((cell) => cell.trim());
    if (FAULT_COLUMN.test(line.text) || REASONS_COLUMN.test(line.text) || HOT_COLUMN.test(line.text)) names = cells;
    else if (cells.length === names.length && cells.some((cell, at) => tells(names[at] ?? '', cell))) return line;
  }
  return undefined;
}
