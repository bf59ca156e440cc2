import type { LineCitation } from '../../../../model/citation.ts';
import { findMasks } from '../../../scan/mask.ts';
import type { Evidence } from '../../evidence.ts';
import { tailLines } from '../../weigh/tail-lines.ts';
import { says } from '../no-memory/speech.ts';
import { remarkLines } from '../remark-lines.ts';
import { NOT_KILLED } from '../words.ts';

export type Told = { readonly text: string; readonly from: LineCitation };

/** All that people noted of one end: their remarks, the figures beside the log, and what the program was told. */
export type Account = {
  readonly prose: readonly Told[];
  readonly rows: readonly Told[];
  readonly args: string;
};

const MOST_ROWS = 60;

/** The account of a folder. Lines of the log are rows: who pastes a table mostly pastes it there. */
export function readAccountOf(evidence: Pick<Evidence, 'readings' | 'log'>): Account {
  const { main, notes } = evidence.log;
  const rows = [...(main === undefined ? [] : [main]), ...notes].flatMap((file) => tailLines(file).slice(-MOST_ROWS));
  const args = evidence.readings.texts.get('args.txt') ?? '';
  const inArgs = args
    .split('\n')
    .flatMap((text, at) =>
      text.startsWith('#') ? [remark(text, { kind: 'line', file: 'args.txt', line: at + 1, text })] : [],
    );
  return {
    prose: [...remarkLines(evidence), ...inArgs].map(({ text, from }) => ({
      text: text.replaceAll(NOT_KILLED, ''),
      from,
    })),
    rows: rows.map((from) => ({ text: ownOf(from.text).replaceAll(NOT_KILLED, ''), from })),
    args,
  };
}

// Without what users wrote and what the program repeats of its arguments.
function ownOf(text: string): string {
  const { promptAt, echoAt } = findMasks(text);
  return text.slice(0, Math.min(promptAt, echoAt));
}

function remark(text: string, from: LineCitation): Told {
  return { text: text.replace(/^#+\s*/, ''), from };
}

/** The first line that says so. */
export function lineThatSays(lines: readonly Told[], pattern: RegExp): Told | undefined {
  return lines.find(({ text }) => says(text, pattern));
}
