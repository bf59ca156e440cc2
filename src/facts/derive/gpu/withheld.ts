import type { Citation } from '../../../model/citation.ts';
import type { Cited } from '../../../model/engine-reader.ts';
import type { Fact } from '../../../model/fact.ts';
import { MIB, parseSize } from '../../../model/quantity.ts';
import { readFreeRow } from '../../text/free.ts';
import { fact } from '../draft.ts';
import type { Evidence } from '../evidence.ts';
import { remarkLines } from '../guess/remark-lines.ts';
import { lastLine, tailLines } from '../weigh/tail-lines.ts';
import { hitWith } from './captured.ts';

// Jetson Linux 36.4.7 closes CVE-2025-33177 by a check that refuses large pieces for which there is room (ggml-org/llama.cpp
// discussion 16706, pull request 23732). The file /etc/nv_tegra_release, the packages and jetson_release name it.
const STRICT =
  /\bR36 \(release\), REVISION: 4\.7\b|\b(?:L4T|Jetson Linux|nvidia-l4t-\S{1,40})[ =]{1,3}(?:R|r)?36\.4\.7\b/;

// `free -m` of a Jetson counts in MiB, as tegrastats does.
const LEFT = /\bavailable\b[ :=]{1,6}(\d[\d.]{0,9}) ?([KMG]i?B\b)?/i;
const IN_MIB = /\bfree -m\b/;
const TEGRASTATS = /\bRAM (\d{1,7})\/(\d{1,7})MB\b/;
const AMPLE = 2;

/**
 * Whether what allocates for the GPU of a Jetson refused a piece although the board had room for it, or is of a release that
 * is known to. CPU and GPU share one memory there, so what is available of RAM is what the GPU could have.
 */
export function readWithheld(evidence: Evidence, want: Cited<number> | undefined): Fact | undefined {
  const last = lastLine(evidence.log.main);
  if (hitWith(evidence.weighing.all, 'tegra.nvmap') === undefined) return last && fact(false, [last]);
  const lines = [...(evidence.log.main ? tailLines(evidence.log.main).map(line) : []), ...remarkLines(evidence)];
  const left = lines.flatMap(({ text, from }) => leftIn(text).map((value) => ({ value, from }))).at(-1);
  if (want !== undefined && left !== undefined) return fact(left.value >= want.value * AMPLE, [left.from]);
  const strict = lines.find(({ text }) => STRICT.test(text));
  return strict && fact(true, [strict.from]);
}

function line<T extends Citation & { readonly text: string }>(from: T): { readonly text: string; readonly from: T } {
  return { text: from.text, from };
}

function leftIn(text: string): readonly number[] {
  const row = readFreeRow(text);
  if (row !== undefined) return [row.available];
  const [, used, total] = TEGRASTATS.exec(text) ?? [];
  if (used !== undefined) return [(Number(total) - Number(used)) * MIB];
  const [, size, unit] = LEFT.exec(text) ?? [];
  if (size === undefined) return [];
  const value = unit === undefined ? Number(size) * MIB : parseSize(`${size} ${unit}`);
  return value === undefined || (unit === undefined && !IN_MIB.test(text)) ? [] : [value];
}
