import type { LineCitation } from '../../model/citation.ts';
import type { Cited } from '../../model/engine-reader.ts';
import type { Hit, LogReading } from '../../model/log-reading.ts';
import { parseSize } from '../../model/quantity.ts';
import { hasRole, type Role } from '../../model/signature-roles.ts';
import { foreignAmong, type GpuProcess, ranksAmong, sortProcesses } from '../tools/gpu-processes.ts';

/** The account of one CUDA OOM line, all figures in bytes, each with the line it stands in. `unmanaged` and `foreign` are derived. */
export type MemoryAccount = {
  readonly gpu: Cited<number> | undefined;
  readonly want: Cited<number> | undefined;
  readonly total: Cited<number> | undefined;
  readonly free: Cited<number> | undefined;
  readonly allocated: Cited<number> | undefined;
  readonly reservedUnallocated: Cited<number> | undefined;
  readonly privatePools: Cited<number> | undefined;
  /** Held by other ranks of the same launch: processes whose numbers lie close together. */
  readonly ranks: Cited<number> | undefined;
  readonly allowed: Cited<number> | undefined;
  /** total - free - allocated - reservedUnallocated: on the device and not owned by PyTorch. */
  readonly unmanaged: Cited<number> | undefined;
  /** Held by processes other than the one that failed; undefined where the line does not tell. */
  readonly foreign: Cited<number> | undefined;
};

/** Lines of one report: a terminal may wrap it. */
const REPORT_LINES = 12;

/** Reads the account of the first OOM report of a reading that bears a total or a wanted size; undefined where none does. */
export function readAccount(reading: LogReading): MemoryAccount | undefined {
  const spoke = spokenPids(reading);
  const reports = reportsOf(reading, 'pytorch-oom-head').map((report) => readReport(reading.file, report, spoke));
  const full = reports.find((account) => account.total !== undefined);
  if (full !== undefined) return full;
  const late = reportsOf(reading, 'retries')
    .map((report) => readReport(reading.file, ofWarning(report) ?? report, spoke))
    .filter((account) => account.total !== undefined);
  const bare = reports.find(({ want }) => want !== undefined);
  return bare === undefined ? late[0] : completed(bare, late);
}

// The figures of a warning are its own, whatever failed below it.
function ofWarning(report: readonly Hit[]): readonly Hit[] | undefined {
  const warning = report.find(({ signature }) => hasRole(signature, 'retries'));
  return warning && [warning];
}

// PyTorch rounds what it prints in its sentence, and warns in bytes of the same request just before.
const SAME_SIZE = 0.01;

function completed(bare: MemoryAccount, late: readonly MemoryAccount[]): MemoryAccount {
  const wanted = bare.want?.value ?? 0;
  const same = late.find(({ want }) => want !== undefined && Math.abs(want.value - wanted) <= SAME_SIZE * wanted);
  return same === undefined ? bare : { ...bare, total: same.total, free: bare.free ?? same.free };
}

// A report begins with its head and ends with the next one, with another process, or after some lines.
function reportsOf(reading: LogReading, headed: Role): Hit[][] {
  const own = reading.hits.filter(({ signature }) => hasRole(signature, 'pytorch-oom'));
  const reports: Hit[][] = [];
  for (const [i, head] of own.entries()) {
    if (!hasRole(head.signature, headed) || reports.some((report) => report.includes(head))) continue;
    // Hits of one line stand in any order, so those of the head's own line that came before it belong to it as well.
    const report = own.filter((hit, k) => (k >= i || hit.line === head.line) && belongs(head, hit));
    const next = report.find((hit) => hit.line > head.line && hit.id === head.id);
    reports.push(next === undefined ? report : report.filter((hit) => hit.line < next.line));
  }
  return reports;
}

function belongs(head: Hit, hit: Hit): boolean {
  if (hit.line < head.line || hit.line > head.line + REPORT_LINES) return false;
  return hit.process === head.process || hit.process === undefined;
}

// `(Worker_TP1 pid=402)`, `(RayWorkerWrapper pid=71540, ip=10.0.0.3)`: the processes of the engine name themselves.
const SPEAKS = /\(\w{0,40}(?:Worker|EngineCore)[^()\n]{0,60}\bpid=(\d{1,12})\b/;

function spokenPids({ hits }: LogReading): ReadonlySet<number> {
  return new Set(hits.flatMap(({ text }) => SPEAKS.exec(text)?.[1] ?? []).map(Number));
}

function readReport(file: string, report: readonly Hit[], spoke: ReadonlySet<number>): MemoryAccount {
  const read: Read = (capture) => figure(file, report, (hit) => capture in hit.captures, capture);
  const async = (what: string) => figure(file, report, (hit) => hit.captures.what?.startsWith(what) === true, 'size');
  const warned = (capture: string) => plainNumber(file, report, capture);
  const allocated = read('allocated') ?? async('Currently allocated');
  const total = read('total') ?? async('Device limit') ?? warned('totalBytes');
  const free = read('free') ?? async('Free') ?? warned('freeBytes');
  const reservedUnallocated = slackOf(read, allocated);
  const processes = sortProcesses(listedIn(file, report), {
    torch: (allocated?.value ?? 0) + (reservedUnallocated?.value ?? 0),
    allocated,
    own: read('own'),
    spoke,
  });
  return {
    gpu: gpuOf(file, report),
    want: wantOf(file, report) ?? async('Requested') ?? warned('wantBytes'),
    total,
    free,
    allocated,
    reservedUnallocated,
    privatePools: read('pools'),
    ranks: ranksAmong(processes),
    allowed: read('allowed') ?? async('PyTorch limit'),
    unmanaged: isCut(report) ? undefined : unmanagedOf(total, free, allocated, reservedUnallocated),
    foreign: foreignAmong(processes) ?? restOf(total, free, processes.own),
  };
}

type Read = (capture: string) => Cited<number> | undefined;

// The old form prints what is reserved in total, the new one and the oldest what is reserved beyond the tensors.
function slackOf(read: Read, allocated: Cited<number> | undefined): Cited<number> | undefined {
  const slack = read('slack') ?? read('cached');
  const reserved = read('reserved');
  if (slack !== undefined || reserved === undefined || allocated === undefined) return slack;
  return { value: Math.max(0, reserved.value - allocated.value), from: reserved.from };
}

function wantOf(file: string, report: readonly Hit[]): Cited<number> | undefined {
  const wants = report.filter(({ captures }) => captures.wantUnit !== undefined);
  const head = wants.find(({ signature }) => hasRole(signature, 'pytorch-oom-head')) ?? wants[0];
  if (head === undefined) return undefined;
  return sizeAt(file, head, `${head.captures.want} ${head.captures.wantUnit}`);
}

function gpuOf(file: string, report: readonly Hit[]): Cited<number> | undefined {
  const hit = report.find(({ captures }) => captures.gpu !== undefined && captures.gpu !== '');
  return hit && { value: Number(hit.captures.gpu), from: cite(file, hit) };
}

// A sentence that ends at what is allocated, and the asynchronous allocator, which never tells what its pool holds of freed
// tensors (c10/cuda/CUDAMallocAsyncAllocator.cpp): what is kept besides is not known, so neither is the rest.
function isCut(report: readonly Hit[]): boolean {
  const split = report.find(({ signature }) => hasRole(signature, 'pytorch-oom-account'));
  if (split !== undefined) return split.captures.slack === undefined;
  return report.some(({ signature }) => hasRole(signature, 'pytorch-oom-async'));
}

function unmanagedOf(
  total: Cited<number> | undefined,
  free: Cited<number> | undefined,
  allocated: Cited<number> | undefined,
  slack: Cited<number> | undefined,
): Cited<number> | undefined {
  if (total === undefined || free === undefined || allocated === undefined) return undefined;
  return { value: Math.max(0, total.value - free.value - allocated.value - (slack?.value ?? 0)), from: total.from };
}

function restOf(
  total: Cited<number> | undefined,
  free: Cited<number> | undefined,
  own: Cited<number> | undefined,
): Cited<number> | undefined {
  if (own === undefined || total === undefined || free === undefined) return undefined;
  return { value: Math.max(0, total.value - free.value - own.value), from: own.from };
}

const PROCESS = /Process (\d{1,20}) has ([\d.]{1,24} (?:bytes|[KMGT]iB)) memory in use/g;
/** WSL2 prints 2^64 bytes where it cannot tell. */
const NOT_AVAILABLE = 2 ** 60;

function listedIn(file: string, report: readonly Hit[]): readonly GpuProcess[] {
  return report
    .filter(({ signature }) => hasRole(signature, 'pytorch-oom-processes'))
    .flatMap((hit) => {
      const texts = [...hit.text.matchAll(PROCESS)].map(([, pid, text]) => ({ pid: Number(pid), text }));
      const wrapped = hit.captures.used === undefined ? [] : [{ pid: undefined, text: hit.captures.used }];
      return (texts.length > 0 ? texts : wrapped).flatMap(({ pid, text }) => {
        const size = sizeAt(file, hit, text);
        return size === undefined ? [] : [{ pid, size }];
      });
    })
    .filter(({ size }) => size.value < NOT_AVAILABLE);
}

function figure(
  file: string,
  report: readonly Hit[],
  is: (hit: Hit) => boolean,
  capture: string,
): Cited<number> | undefined {
  const hit = report.find(is);
  return hit && sizeAt(file, hit, hit.captures[capture]);
}

function plainNumber(file: string, report: readonly Hit[], capture: string): Cited<number> | undefined {
  const hit = report.find((one) => one.captures[capture] !== undefined);
  return hit && { value: Number(hit.captures[capture]), from: cite(file, hit) };
}

function sizeAt(file: string, hit: Hit, text: string | undefined): Cited<number> | undefined {
  const value = text === undefined ? undefined : parseSize(text);
  return value === undefined ? undefined : { value, from: cite(file, hit) };
}

function cite(file: string, hit: Hit): LineCitation {
  return { kind: 'line', file, line: hit.line, text: hit.text };
}
