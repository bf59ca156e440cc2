import type { Attachment, Block, Message } from '../model/message.ts';
import { parseLogName } from '../model/snapshot.ts';
import { notReadWords } from './capture-words.ts';
import { charts } from './charts.ts';
import { explainMessages } from './explain.ts';
import type { ReportInput } from './report-input.ts';
import { paragraph, say } from './sentence.ts';

const MOST_FILES = 8;
const FILE_BYTES = 1_000_000;

/** What stands below the card: the reasons in full, the memory charts, and the redacted files. Nothing where only the verdict may be shown. */
export function thread(input: ReportInput): { messages: Message[]; files: Attachment[] } {
  if (input.evidence === 'verdict-only') return { messages: [], files: [] };
  const drawn = charts(input.series);
  const missing = notReadWords(input.capture?.notRead ?? []);
  const notes: Block[] = missing.map((line) => paragraph(line));
  return {
    messages: [
      ...explainMessages(input),
      ...(drawn.length === 0 ? [] : [say('info', 'Memory in the minutes before.', drawn)]),
      ...(notes.length === 0 ? [] : [say('warn', 'What could not be read.', notes)]),
    ],
    files: files(input),
  };
}

// What a person opens first comes first: logs, then status, then figures.
function files({ snapshot }: ReportInput): Attachment[] {
  if (snapshot === undefined) return [];
  const rank = (name: string): number => {
    const at = [
      'describe.txt',
      'pod.json',
      'events.json',
      'metrics.txt',
      'kernel.txt',
      'nvidia-smi.txt',
      'series.json',
      'revisions.json',
    ].indexOf(name);
    if (parseLogName(name) !== undefined) return name.includes('previous') ? -2 : -1;
    return at === -1 ? 99 : at;
  };
  return Object.entries(snapshot.files)
    .filter(([, text]) => text.trim() !== '')
    .toSorted(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .slice(0, MOST_FILES)
    .map(([name, text]) => ({
      name: name.endsWith('.json') || name.endsWith('.txt') ? name : `${name}.txt`,
      title: name,
      text: clipFile(text),
    }));
}

function clipFile(text: string): string {
  if (text.length <= FILE_BYTES) return text;
  const half = FILE_BYTES / 2;
  return `${text.slice(0, half)}\n# ... ${text.length - FILE_BYTES} characters are not in this file; they are in the stored evidence ...\n${text.slice(-half)}`;
}
