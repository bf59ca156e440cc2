import { type Block, type Choice, code, type Mark, type Message, type Span } from '../model/message.ts';
import { fitColumns, unbroken, visible, widthOf, wrap } from './terminal/text-width.ts';
import { asTyped } from './terminal/typed-command.ts';
import { spanWords } from './words/span-words.ts';

export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>>;

type DrawOptions = {
  /** Columns. */
  readonly width: number;
  /** For quotes, where it is another one. */
  readonly tableWidth?: number;
  readonly paint: Paint;
  /** What starts oombot, where that is not `oom`. */
  readonly command?: string;
  /** False draws with ASCII alone. */
  readonly unicode: boolean;
};

const SIGNS: Readonly<Record<Mark, readonly [string, string]>> = {
  ok: ['✔', '[ok]'],
  warn: ['▲', '[!]'],
  bad: ['✖', '[X]'],
  unknown: ['?', '[?]'],
  info: ['•', '[i]'],
};
const COLOURS: Readonly<Record<Mark, keyof Paint>> = {
  ok: 'green',
  warn: 'yellow',
  bad: 'red',
  unknown: 'yellow',
  info: 'cyan',
};

// What is typed for a choice; a form has no command.
const TYPED: Readonly<Record<Choice['asks'], string | undefined>> = {
  'triage-candidate': 'triage',
  explain: 'explain',
  status: 'status',
  plan: 'plan',
  approve: 'approve',
  edit: undefined,
  reject: 'reject',
  abort: 'abort',
  'go-on': 'go-on',
  'roll-back': 'rollback',
  ack: 'ack',
  resolve: 'resolve',
  right: undefined,
  wrong: undefined,
  changes: undefined,
  handover: undefined,
  fix: 'fix',
};
const HASH = / [0-9a-f]+$/;

/** A neutral message as text for a terminal or a pipe: the same content as in Slack. */
export function drawTerminal(message: Message, options: DrawOptions): string {
  const isPlaced = message.blocks.some(({ kind }) => kind === 'buttons');
  const blocks = message.blocks.map((block) =>
    block.kind === 'buttons' ? drawChoices(message, options) : drawBlock(block, options),
  );
  const text = blocks.length === 0 ? [wrap(visible(message.summary), options.width).join('\n')] : blocks;
  const kinds = message.blocks.map(({ kind }) => kind);
  const choices = isPlaced ? '' : drawChoices(message, options);
  const last = choices === '' ? [] : [choices];
  // A headline stands directly above its first lines, and a note directly below the last.
  const gapAfter = (i: number): string =>
    message.dense === true || kinds[i] === 'headline' || kinds[i + 1] === 'note' ? '\n' : '\n\n';
  return [...text, ...last].reduce((whole, part, i) => `${whole}${gapAfter(i - 1)}${part}`);
}

function drawChoices({ choices = [] }: Message, { paint, unicode, command = 'oom' }: DrawOptions): string {
  const commands = choices.flatMap(({ asks, value }) => {
    const word = TYPED[asks];
    const rest = asks === 'approve' || asks === 'reject' ? value.replace(HASH, '') : value;
    return word === undefined ? [] : [paint.cyan(`${unicode ? '→' : '->'} ${visible(`${command} ${word} ${rest}`)}`)];
  });
  return commands.join('\n');
}

type Drawn = Exclude<Block, { kind: 'buttons' }>;

function drawBlock(block: Drawn, options: DrawOptions): string {
  const { width, paint } = options;
  switch (block.kind) {
    case 'headline':
      return wrap(`${sign(block.mark, options)} ${text(block.spans, options)}`, width)
        .map((line) => paint.bold(paint[COLOURS[block.mark]](line)))
        .join('\n');
    case 'paragraph':
      return wrap(text(block.spans, options), width).join('\n');
    case 'list':
      return [
        heading(block.title, options),
        ...block.items.flatMap((item) => bullet(text(item, options), options)),
      ].join('\n');
    case 'quote':
      return [heading(block.title, options), ...block.lines.flatMap((line) => quoted(line, options))].join('\n');
    case 'progress':
      return drawProgress(block, options);
    case 'chart':
      return [
        heading(block.title, options),
        ...block.series.map((series) => sparkline(series, { ...options, unit: block.unit })),
      ].join('\n');
    case 'row':
      return bullet(text(block.spans, options), options).join('\n');
    case 'note':
      return wrap(text(block.spans, options), width)
        .map((line) => paint.dim(line))
        .join('\n');
  }
}

function drawProgress(block: Extract<Block, { kind: 'progress' }>, options: DrawOptions): string {
  const marks = { pending: 'info', running: 'info', done: 'ok', failed: 'bad', skipped: 'unknown' } as const;
  const steps = block.steps.flatMap(({ title, status, detail }) => {
    const words = status === 'done' || status === 'pending' ? '' : ` (${status})`;
    const told = `${visible(title)}${words}${detail === undefined ? '' : `: ${visible(detail)}`}`;
    const mark = sign(marks[status], options);
    const [first = '', ...rest] = wrap(told, options.width - mark.length - 3);
    return [`  ${mark} ${first}`, ...rest.map((line) => `    ${line}`)];
  });
  return [heading(block.title, options), ...steps].join('\n');
}

function heading(title: string, { width, paint }: DrawOptions): string {
  return wrap(visible(title), width)
    .map((line) => paint.bold(line))
    .join('\n');
}

function bullet(item: string, options: DrawOptions): string[] {
  const [first = '', ...rest] = wrap(item, options.width - 4);
  return [`  ${options.unicode ? '•' : '-'} ${first}`, ...rest.map((line) => `    ${line}`)];
}

function quoted(line: string, options: DrawOptions): string[] {
  const bar = options.paint.dim(options.unicode ? '  ┃ ' : '  | ');
  return fitColumns(visible(line), (options.tableWidth ?? options.width) - 4).map((part) => `${bar}${part}`);
}

function sign(mark: Mark, { unicode }: DrawOptions): string {
  return SIGNS[mark][unicode ? 0 : 1];
}

const COMMAND = /^(?:kubectl|argocd|flux) /;

function text(spans: readonly Span[], { command }: DrawOptions): string {
  const drawn = (span: Span) => {
    if (span.kind !== 'code') return span;
    return code(COMMAND.test(span.text) ? unbroken(span.text) : asTyped(span.text, command));
  };
  return visible(spanWords(spans.map(drawn)));
}

const BARS = '▁▂▃▄▅▆▇█';
const ASCII = '_.-=+*#@';
const MOST = 40;

type Options = { readonly unit: string; readonly unicode: boolean; readonly width: number };

/** One series in one line, or where that is too wide in some: its name, its shape from zero, its least and greatest value and the time it covers. */
function sparkline(
  series: { readonly name: string; readonly points: readonly (readonly [number, number])[] },
  options: Options,
): string {
  const points = series.points.filter(([, value]) => Number.isFinite(value));
  if (points.length === 0) return `  ${visible(series.name)}: no samples`;
  const values = squeeze(
    points.map(([, value]) => value),
    Math.min(MOST, options.width - 2),
  );
  const most = Math.max(...values, 0);
  const bars = options.unicode ? BARS : ASCII;
  const shape = values
    .map((v) => bars[most === 0 ? 0 : Math.round((Math.max(0, v) / most) * (bars.length - 1))] ?? ' ')
    .join('');
  const clock = (at: number | undefined) => (at === undefined ? '' : new Date(at).toISOString().slice(11, 16));
  const span = `${clock(points[0]?.[0])}-${clock(points.at(-1)?.[0])}`;
  const least = Math.min(...points.map(([, v]) => v));
  const greatest = Math.max(...points.map(([, v]) => v));
  const told = `${visible(series.name)} ${round(least)} to ${round(greatest)} ${options.unit}, ${span} UTC`;
  const line = `  ${shape}  ${told}`;
  if (widthOf(line) <= options.width) return line;
  return [`  ${shape}`, ...wrap(told, options.width - 4).map((part) => `    ${part}`)].join('\n');
}

// Each bar is the greatest of its points, so that a spike stays.
function squeeze(values: readonly number[], most: number): number[] {
  if (values.length <= most) return [...values];
  return Array.from({ length: most }, (_, i) => {
    const from = Math.floor((i * values.length) / most);
    const to = Math.max(from + 1, Math.floor(((i + 1) * values.length) / most));
    return Math.max(...values.slice(from, to));
  });
}

function round(value: number): string {
  return Number(value.toFixed(1)).toString();
}
