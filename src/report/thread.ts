import type { Attachment, Block, Message } from '../model/message.ts';
import { GIB } from '../model/quantity.ts';
import { parseLogName, type Series, type SeriesFile, type Snapshot } from '../model/snapshot.ts';
import { detailBlocks } from './explain.ts';
import { captureWords } from './words/capture-words.ts';
import { replicaFailureWords } from './words/replica-failure.ts';
import type { ReportInput } from './words/report-input.ts';
import { note, say } from './words/sentence.ts';

const FILE_BYTES = 1_000_000;
// Space for the line that counts what is left out.
const REMARK_BYTES = 200;

/** The thread of a finding: one reply with what the card leaves out and the memory charts, and the redacted evidence. Empty if only the verdict may be shown. */
export function thread(input: ReportInput): { messages: Message[]; files: Attachment[] } {
  if (input.evidence === 'verdict-only') return { messages: [], files: [] };
  const blocks = [
    ...charts(input.series),
    ...detailBlocks({ ...input, isBelowCard: true }),
    ...replicaFailureWords(input.snapshot).map((words) => note(`${words}.`)),
    ...(input.dashboard === undefined
      ? []
      : [note('Dashboard: ', { kind: 'link' as const, text: 'memory, KV cache and requests', url: input.dashboard })]),
    ...(input.capture === undefined ? [] : [note(captureWords(input.capture))]),
  ];
  return { messages: [say('info', 'Details', blocks)], files: files(input) };
}

// The log with most of the proof to be read at once, and all of the evidence as a folder for `oom diagnose`.
function files({ snapshot, diagnosis: { verdict } }: ReportInput): Attachment[] {
  if (snapshot === undefined) return [];
  const cited = Map.groupBy(
    verdict.evidence.flatMap(({ from }) => from),
    ({ file }) => file,
  );
  const all = filesOf(snapshot);
  const [log] = all.toSorted((a, b) => rankOf(a.name, cited) - rankOf(b.name, cited) || (a.name < b.name ? -1 : 1));
  if (log === undefined) return [];
  const name = /\.(?:json|txt)$/.test(log.name) ? log.name : `${log.name}.txt`;
  return [{ name, title: log.name, text: clipFile(log.text) }, ...evidenceArchive(snapshot)];
}

export const EVIDENCE_ARCHIVE = 'evidence.tar.gz';

/** All of the evidence as one archive, a folder for `oom diagnose`; none where every file is empty. */
export function evidenceArchive(snapshot: Snapshot): Attachment[] {
  const files = filesOf(snapshot);
  return files.length === 0 ? [] : [{ name: EVIDENCE_ARCHIVE, title: 'Evidence', files }];
}

function filesOf({ files }: Snapshot): { name: string; text: string }[] {
  return Object.entries(files)
    .filter(([, text]) => text.trim() !== '')
    .map(([name, text]) => ({ name, text }));
}

function rankOf(name: string, cited: ReadonlyMap<string, readonly unknown[]>): number {
  const log = parseLogName(name);
  const proofs = cited.get(name)?.length ?? 0;
  if (log !== undefined) return proofs > 0 ? -1000 - proofs : log.instance === 'previous' ? -2 : -1;
  return proofs > 0 ? -100 : 0;
}

/** Head and tail in whole lines where there are lines, at most `FILE_BYTES` of UTF-8 with the remark between them. */
function clipFile(text: string): string {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length <= FILE_BYTES) return text;
  const half = (FILE_BYTES - REMARK_BYTES) / 2;
  const head = upToLine(decode(bytes.subarray(0, half)));
  const tail = fromLine(decode(bytes.subarray(-half)));
  const left = bytes.length - byteLength(head) - byteLength(tail);
  return `${head}\n# ... ${left} bytes are not in this file; they are in the stored evidence ...\n${tail}`;
}

function upToLine(text: string): string {
  const end = text.lastIndexOf('\n');
  return end > 0 ? text.slice(0, end) : text;
}

function fromLine(text: string): string {
  const end = text.indexOf('\n');
  return end !== -1 && end < text.length - 1 ? text.slice(end + 1) : text;
}

// A cut through a character leaves replacement marks at the edge, which are no part of the file.
function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes).replace(/^\uFFFD{1,3}|\uFFFD{1,3}$/g, '');
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

const MOST = 6;

type Line = { readonly name: string; readonly points: [number, number][] };

/** RAM against its limit, and GPU memory by GPU, in GiB; nothing where there is no series. */
export function charts(file: SeriesFile | undefined): Block[] {
  if (file === undefined) return [];
  const ram = [
    ...linesOf(file, 'container.memory.working-set', 'used'),
    ...linesOf(file, 'container.memory.limit', 'limit'),
  ];
  const gpu = linesOf(file, 'gpu.framebuffer.used', 'GPU');
  return [...chart('Container RAM', ram), ...chart('GPU memory in use', gpu)];
}

function chart(title: string, series: readonly Line[]): Block[] {
  const shown = series.filter(({ points }) => points.length > 1).slice(0, MOST);
  return shown.length === 0 ? [] : [{ kind: 'chart', title, unit: 'GiB', series: shown }];
}

function linesOf(file: SeriesFile, id: string, name: string): Line[] {
  const found = file.series.filter((series) => series.id === id);
  return found.map((series, i) => ({
    name: found.length === 1 ? name : `${name} ${series.labels.gpu ?? series.labels.container ?? i}`,
    points: series.points
      .map(([at, value]): [number, number] => [at, inGib(value, series)])
      .filter((point) => point.every(Number.isFinite)),
  }));
}

function inGib(value: number, { unit }: Series): number {
  const bytes = /mib/i.test(unit) ? value * 2 ** 20 : value;
  return Math.round((bytes / GIB) * 100) / 100;
}
