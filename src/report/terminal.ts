import type { Block, Mark, Message, Span } from '../model/message.ts';
import { sparkline } from './terminal/sparkline.ts';
import { drawTable, UNBROKEN } from './terminal/table.ts';
import { fitColumns, padTo, visible, wrap } from './terminal/text-width.ts';
import { spanWords } from './words/span-words.ts';

export type Paint = Readonly<Record<'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan', (text: string) => string>>;

export type DrawOptions = {
  /** Columns. */
  readonly width: number;
  readonly paint: Paint;
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

// The rest are pods to choose from.
const TYPED: ReadonlySet<string> = new Set(['explain', 'plan', 'status']);

/** A neutral message as text for a terminal or a pipe: the same content as in Slack. */
export function drawTerminal(message: Message, options: DrawOptions): string {
  const blocks = message.blocks.map((block) => drawBlock(block, options));
  const choices = (message.choices ?? []).map(({ asks, value }) => {
    const command = `oom ${TYPED.has(asks) ? asks : 'triage'} ${value}`;
    return options.paint.cyan(`→ ${visible(command)}`.replace('→', options.unicode ? '→' : '->'));
  });
  const text = blocks.length === 0 ? [wrap(visible(message.summary), options.width).join('\n')] : blocks;
  return [...text, ...(choices.length > 0 ? [choices.join('\n')] : [])].join('\n\n');
}

function drawBlock(block: Block, options: DrawOptions): string {
  const { width, paint } = options;
  switch (block.kind) {
    case 'headline':
      return wrap(`${sign(block.mark, options)} ${text(block.spans)}`, width)
        .map((line) => paint.bold(paint[COLOURS[block.mark]](line)))
        .join('\n');
    case 'paragraph':
      return wrap(text(block.spans), width).join('\n');
    case 'memories':
      return drawMemories(block, options);
    case 'rows':
      return drawTable(
        block.rows.map((row) => [
          visible(row.name),
          visible(row.seen),
          visible(row.limit),
          `${sign(row.mark, options)}${UNBROKEN}${visible(row.verdict)}`,
        ]),
        { width, head: ['', 'seen', 'limit', ''], dim: paint.dim },
      );
    case 'list':
      return [heading(block.title, options), ...block.items.flatMap((item) => bullet(text(item), options))].join('\n');
    case 'quote':
      return [heading(block.title, options), ...block.lines.flatMap((line) => quoted(line, options))].join('\n');
    case 'progress':
      return drawProgress(block, options);
    case 'chart':
      return [
        heading(block.title, options),
        ...block.series.map((series) => sparkline(series, { ...options, unit: block.unit })),
      ].join('\n');
    case 'note':
      return wrap(text(block.spans), width)
        .map((line) => paint.dim(line))
        .join('\n');
  }
}

function drawMemories(block: Extract<Block, { kind: 'memories' }>, options: DrawOptions): string {
  const { width, paint } = options;
  const side = width < 70 ? width : Math.floor((width - 3) / 2);
  const column = (name: string, { mark, lines }: typeof block.ram): string[] => [
    `${sign(mark, options)} ${name}`,
    ...lines.flatMap((line) => wrap(visible(line), side - 2).map((part) => `  ${part}`)),
  ];
  const left = column('container RAM', block.ram);
  const right = column('GPU memory', block.gpu);
  if (width < 70) return [...left, ...right].join('\n');
  const rows = Math.max(left.length, right.length);
  const bar = options.unicode ? '│' : '|';
  return Array.from({ length: rows }, (_, i) =>
    `${padTo(left[i] ?? '', side)} ${paint.dim(bar)} ${right[i] ?? ''}`.trimEnd(),
  ).join('\n');
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
  return fitColumns(visible(line), options.width - 4).map((part) => `${bar}${part}`);
}

function sign(mark: Mark, { unicode }: DrawOptions): string {
  return SIGNS[mark][unicode ? 0 : 1];
}

function text(spans: readonly Span[]): string {
  return visible(spanWords(spans));
}
