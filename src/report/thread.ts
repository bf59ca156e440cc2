import type { Attachment, Block, Message } from '../model/message.ts';
import { GIB } from '../model/quantity.ts';
import { parseLogName, type Series, type SeriesFile } from '../model/snapshot.ts';
import { explainMessages } from './explain.ts';
import { notReadWords } from './words/capture-words.ts';
import type { ReportInput } from './words/report-input.ts';
import { paragraph, say } from './words/sentence.ts';

const MOST_FILES = 8;
const FILE_BYTES = 1_000_000;
// Room for the line that says what is left out.
const REMARK_BYTES = 200;

/** What stands below the card: the reasons in full, the memory charts, and the redacted files. Nothing where only the verdict may be shown. */
export function thread(input: ReportInput): { messages: Message[]; files: Attachment[] } {
  if (input.evidence === 'verdict-only') return { messages: [], files: [] };
  const drawn = charts(input.series);
  const missing = notReadWords(input.capture?.notRead ?? []);
  const notes: Block[] = missing.map((line) => paragraph(line));
  return {
    messages: [
      ...explainMessages(input),
      ...(drawn.length === 0 ? [] : [say('info', 'Memory in the minutes before the failure.', drawn)]),
      ...(notes.length === 0 ? [] : [say('warn', 'What could not be read.', notes)]),
    ],
    files: files(input),
  };
}

const FIRST = [
  'describe.txt',
  'pod.json',
  'events.json',
  'series.json',
  'metrics.txt',
  'kernel.txt',
  'nvidia-smi.txt',
  'args.txt',
  'revisions.json',
];

// What a person opens first comes first: what the proof stands in, logs before the rest; then the other logs, status and figures.
function files({ snapshot, diagnosis: { verdict } }: ReportInput): Attachment[] {
  if (snapshot === undefined) return [];
  const cited = Map.groupBy(
    verdict.evidence.flatMap(({ from }) => from),
    ({ file }) => file,
  );
  return Object.entries(snapshot.files)
    .filter(([, text]) => text.trim() !== '')
    .map(([name, text]) => ({ name, text, rank: rankOf(name, cited.get(name)?.length ?? 0) }))
    .toSorted((a, b) => a.rank - b.rank || (a.name < b.name ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(({ name, text }) => ({
      name: name.endsWith('.json') || name.endsWith('.txt') ? name : `${name}.txt`,
      title: name,
      text: clipFile(text),
    }));
}

function rankOf(name: string, proofs: number): number {
  const log = parseLogName(name);
  if (log !== undefined && proofs > 0) return -1000 - proofs;
  if (log !== undefined) return log.instance === 'previous' ? -2 : -1;
  const at = FIRST.indexOf(name);
  return (at === -1 ? FIRST.length : at) - (proofs > 0 ? 100 : 0);
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
