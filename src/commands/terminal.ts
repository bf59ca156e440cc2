import picocolors from 'picocolors';
import type { Message } from '../model/message.ts';
import { visible } from '../report/terminal/text-width.ts';
import { asTyped } from '../report/terminal/typed-command.ts';
import { drawTerminal, type Paint } from '../report/terminal.ts';
import { pagerFor, showPaged } from './pager.ts';

/** Where a command writes: answers to stdout, progress and faults to stderr. Widths in columns. */
export type Terminal = {
  readonly out: (text: string) => void;
  /** Shows what `out` was given so far; page by page where it is long, unless `isPaged` is false. */
  readonly flush: (isPaged: boolean) => void;
  readonly err: (text: string) => void;
  /** A line that the next one replaces; nothing in a pipe. `undefined` clears it. */
  readonly progress: (line: string | undefined) => void;
  readonly width: number;
  /** For lines of columns: the whole terminal, and without end where nobody says how wide it is, as in a pipe. */
  readonly tableWidth: number;
  /** What starts oombot: `oom`, or `npx oom`. */
  readonly command: string;
  readonly paint: Paint;
  readonly unicode: boolean;
  readonly stdin: () => AsyncIterable<Uint8Array>;
};

/** Messages as text on stdout. */
export function say(terminal: Terminal, messages: readonly Message[]): void {
  terminal.out(messages.map((message) => drawTerminal(message, terminal)).join('\n\n'));
}

/** Answers of a command to the script that called it. */
export const EXIT = { ok: 0, failed: 1, usage: 2, notFound: 3, notAllowed: 4, unreachable: 5 } as const;

/** The terminal of this process: colour and progress on a terminal, plain text in a pipe; NO_COLOR and FORCE_COLOR are kept. */
export function systemTerminal(env: Readonly<Record<string, string | undefined>>): Terminal {
  const command = startedBy(env);
  const colour = env.NO_COLOR === undefined && (process.stdout.isTTY === true || env.FORCE_COLOR !== undefined);
  const paint = picocolors.createColors(colour);
  const live = process.stderr.isTTY === true;
  // `oom … | head` closes the pipe early: that is the reader's wish, not a fault.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(EXIT.ok);
    process.stderr.write(
      `oom: Cannot write the output (${error.code ?? error.message}).\nFree disk space, or write it elsewhere.\n`,
    );
    process.exit(EXIT.failed);
  });
  const said: string[] = [];
  return {
    out: (text) => void said.push(`${text}\n`),
    flush(isPaged) {
      const text = said.splice(0).join('');
      const isTerminal = process.stdout.isTTY === true;
      const pager = isPaged ? pagerFor(text, { env, isTerminal, rows: process.stdout.rows }) : undefined;
      if (text !== '' && (pager === undefined || !showPaged(text, pager, env))) process.stdout.write(text);
    },
    err: (text) => void process.stderr.write(`${harmless(asTyped(text, command), colour)}\n`),
    progress(line) {
      if (!live) return;
      const shown = visible(line ?? '').slice(0, (process.stderr.columns ?? 80) - 1);
      process.stderr.write(`\r\u001b[2K${shown}`);
    },
    ...terminalWidths(process.stdout.columns, env),
    command,
    paint,
    stdin: () => process.stdin,
    unicode: /utf-?8/i.test(env.LC_ALL ?? env.LC_CTYPE ?? env.LANG ?? 'utf-8'),
  };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the escape character is what colours begin with.
const COLOUR = /(\u001b\[(?:[0-4]|2[2-4]|[39][0-7]|39)m)/;

/** Text for stderr: paths, names in an archive and words of a cluster may hold escape sequences, of which colours alone pass, where there are any. */
export function harmless(text: string, isColoured: boolean): string {
  if (!isColoured) return visible(text);
  return text
    .split(COLOUR)
    .map((part, i) => (i % 2 === 1 ? part : visible(part)))
    .join('');
}

/** `npx oom` where npm says that it started a clone so. With `-p`, or where npx keeps the code, the same words would get another package. */
export function startedBy(env: Readonly<Record<string, string | undefined>>, code = import.meta.url): string {
  const isNpx = env.npm_command === 'exec' && /^["']?oom["']?(?:\s|$)/.test(env.npm_lifecycle_script ?? '');
  const isElsewhere = env.npm_config_package !== undefined || code.includes('/_npx/');
  return isNpx && !isElsewhere ? 'npx oom' : 'oom';
}

const WIDE = 120;
const UNKNOWN_WIDTH = 100;

/** Columns to write in: of the terminal, else what COLUMNS says, as in a pipe. A terminal may call its width 0, which is that it does not know. */
export function terminalWidths(
  columns: number | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Pick<Terminal, 'width' | 'tableWidth'> {
  const told = [columns, Number(env.COLUMNS)].find((one) => one !== undefined && Number.isInteger(one) && one > 0);
  return { width: Math.min(told ?? UNKNOWN_WIDTH, WIDE), tableWidth: told ?? Number.POSITIVE_INFINITY };
}
