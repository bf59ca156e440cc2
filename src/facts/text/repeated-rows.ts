import type { LineCitation } from '../../model/citation.ts';
import { parseSize } from '../../model/quantity.ts';
import type { Course, Memory } from './course.ts';

type Reading = { readonly of: string; readonly memory: Memory; readonly value: number };

const KIB = 1024;
const SIZE = String.raw`(\d[\d.]{0,12}) ?([KMGT]i?B)`;
// USER PID %CPU %MEM VSZ RSS TTY STAT START TIME COMMAND, as `ps aux` prints it (procps, KiB).
const PS_AUX =
  /^\s{0,8}\S{1,64}\s{1,12}(\d{1,10})\s{1,12}[\d.]{1,8}\s{1,12}[\d.]{1,8}\s{1,12}\d{1,16}\s{1,12}(\d{1,14})\s/;
// PID RSS COMMAND, as `ps -o pid,rss,comm` prints it of processes that name themselves.
const PS_OWN = /^\s{0,8}(\d{1,10})\s{1,12}(\d{5,14})\s{1,12}(?:VLLM::|sglang::|ray::|\S{0,60}python)/;
// PID USER PR NI VIRT RES SHR S %CPU, as `top` prints it (procps, KiB unless a letter follows).
const TOP =
  /^\s{0,8}(\d{1,10})\s{1,12}\S{1,64}\s{1,12}(?:-?\d{1,3}|rt)\s{1,12}-?\d{1,3}\s{1,12}[\d.]{1,12}[kmgt]?\s{1,12}(\d[\d.]{0,12})([kmgt]?)\s{1,12}[\d.]{1,12}[kmgt]?\s{1,12}[RSDZTI]\s/;
// CONTAINER NAME CPU % MEM USAGE / LIMIT (docker/cli cli/command/container/formatter_stats.go).
const DOCKER = new RegExp(String.raw`^\s{0,8}(\S{1,128}(?:\s{1,12}\S{1,128})?)\s{1,12}[\d.]{1,8}%\s{1,12}${SIZE} / `);
// NAME CPU(cores) MEMORY(bytes) of a pod, or POD NAME ... of a container (kubernetes/kubectl pkg/metricsutil/metrics_printer.go).
const TOP_POD =
  /^\s{0,8}([a-z0-9]\S{0,252}(?:\s{1,60}[a-z0-9]\S{0,252})?)\s{1,60}\d{1,8}m?\s{1,60}(\d{1,12})([KMG]i)\s{0,8}$/;
// Name and size, as /proc and systemctl print them.
const LABELLED =
  /^\s{0,12}(Rss|Pss|Anonymous|Private_Dirty|VmRSS|RssAnon|VmSwap|Memory)\s{0,8}[:=]\s{1,24}(\d[\d.]{0,14}) ?(kB|[KMGT]i?B?)(?!\w)/;
// total used free ... of RAM (procps); a figure may be KiB, MiB or GiB, the same in each print.
const FREE = /^\s{0,8}Mem: {1,12}(\d[\d.]{0,12})([KMGT]i?B?)? {1,12}(\d[\d.]{0,12})([KMGT]i?B?)? /;
// Used and total of a card in the table of nvidia-smi.
const CARD = /\|\s{1,12}(\d{1,7})MiB\s?\/\s{0,8}(\d{1,7})MiB\s{1,4}\|/;
// GPU GI CI PID Type Process name GPU Memory, of a process in that table.
const OF_PROCESS =
  /^\|\s{1,6}\d{1,2}\s{1,6}\S{1,4}\s{1,6}\S{1,4}\s{1,12}(\d{1,10})\s{1,8}[CGM+]{1,3}\s[^|]{1,80}?\s(\d{1,7})MiB\s{0,4}\|/;
const OF_CARD = /^\|\s{1,4}(\d{1,2})\s{1,4}[A-Z]/;

const READERS: readonly ((text: string) => Reading | undefined)[] = [
  (text) => {
    const [, pid, kib] = PS_AUX.exec(text) ?? PS_OWN.exec(text) ?? [];
    return pid === undefined ? undefined : { of: `ps ${pid}`, memory: 'host', value: Number(kib) * KIB };
  },
  (text) => {
    const [, pid, digits = '', unit = ''] = TOP.exec(text) ?? [];
    const value = parseSize(`${digits} ${(unit || 'k').toUpperCase()}iB`);
    return pid === undefined || value === undefined ? undefined : { of: `top ${pid}`, memory: 'host', value };
  },
  (text) => {
    const [, name, digits = '', unit = ''] = DOCKER.exec(text) ?? [];
    const value = parseSize(`${digits} ${unit}`);
    return name === undefined || value === undefined ? undefined : { of: `docker ${name}`, memory: 'host', value };
  },
  (text) => {
    const [, name, digits = '', unit = ''] = TOP_POD.exec(text) ?? [];
    const value = parseSize(`${digits} ${unit}`);
    return name === undefined || value === undefined ? undefined : { of: `pod ${name}`, memory: 'host', value };
  },
  (text) => {
    const [, total, , digits = '', unit = 'GiB'] = FREE.exec(text) ?? [];
    const value = parseSize(`${digits} ${unit}`);
    return total === undefined || value === undefined ? undefined : { of: `free ${total}`, memory: 'host', value };
  },
  (text) => {
    const [, name, digits = '', unit = ''] = LABELLED.exec(text) ?? [];
    const value = parseSize(`${digits} ${unit}`);
    return name === undefined || value === undefined ? undefined : { of: `line ${name}`, memory: 'host', value };
  },
  (text) => {
    const [, pid, digits = ''] = OF_PROCESS.exec(text) ?? [];
    const value = parseSize(`${digits} MiB`);
    return pid === undefined || value === undefined ? undefined : { of: `process ${pid}`, memory: 'gpu', value };
  },
];

/** What a process, a container, a machine or a card held in prints of one program that were made again and again. */
export function readRepeatedRows(lines: readonly LineCitation[]): readonly Course[] {
  const rows = [...lines.flatMap((from) => rowOf(from)), ...cardRows(lines)];
  return [...Map.groupBy(rows, ({ of }) => of).values()].flatMap((own) => {
    const [first] = own;
    return first === undefined ? [] : [courseOf(first.memory, own)];
  });
}

type Row = Reading & { readonly from: LineCitation };

function rowOf(from: LineCitation): readonly Row[] {
  const bare = from.text.replace(/^#\s?/, '');
  const reading = READERS.map((read) => read(bare)).find((one) => one !== undefined);
  return reading === undefined ? [] : [{ ...reading, from }];
}

// The line above says which card it is; cards of one print follow each other.
function cardRows(lines: readonly LineCitation[]): readonly Row[] {
  return lines.flatMap((from, i) => {
    const [, used, total] = CARD.exec(from.text) ?? [];
    const index = OF_CARD.exec(from.text)?.[1] ?? OF_CARD.exec(lines[i - 1]?.text ?? '')?.[1];
    const value = parseSize(`${used} MiB`);
    if (used === undefined || index === undefined || value === undefined) return [];
    return [{ of: `card ${index} of ${total}`, memory: 'gpu', value, from }];
  });
}

function courseOf(memory: Memory, rows: readonly Row[]): Course {
  const points = rows.map(({ value, from }, at) => ({ at, value, from }));
  return { memory, unit: 'bytes', left: false, kind: 'order', points };
}
