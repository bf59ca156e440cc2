import { z } from 'zod';

/** A piece of a sentence. Foreign text (log lines, names) goes in as `code` or `plain`; it is escaped where it is drawn. */
export const Span = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('plain'), text: z.string() }),
  z.strictObject({ kind: z.literal('bold'), text: z.string() }),
  z.strictObject({ kind: z.literal('code'), text: z.string() }),
  z.strictObject({ kind: z.literal('link'), text: z.string(), url: z.url() }),
  z.strictObject({ kind: z.literal('user'), id: z.string() }),
  /** A user group, which is notified. */
  z.strictObject({ kind: z.literal('group'), id: z.string() }),
  z.strictObject({ kind: z.literal('time'), at: z.number() }),
]);
export type Span = z.infer<typeof Span>;

export const Mark = z.enum(['ok', 'warn', 'bad', 'unknown', 'info']);
export type Mark = z.infer<typeof Mark>;

/** What a button that changes production asks before it counts: the target and the effect. */
export const Confirm = z.strictObject({
  title: z.string().min(1).max(100),
  text: z.string().min(1).max(600),
  yes: z.string().min(1).max(30),
});
export type Confirm = z.infer<typeof Confirm>;

/** What the reader may ask for next, drawn as a button where there are buttons. `value` comes back from a client, so it is parsed and its rights are checked again. */
export const Choice = z.strictObject({
  asks: z.enum([
    'triage-candidate',
    'explain',
    'status',
    'plan',
    'approve',
    'edit',
    'reject',
    'abort',
    'go-on',
    'roll-back',
    'ack',
    'resolve',
    'right',
    'wrong',
    'changes',
    'handover',
    'fix',
  ]),
  label: z.string().min(1),
  value: z.string().min(1).max(2000),
  confirm: Confirm.optional(),
});
export type Choice = z.infer<typeof Choice>;

const Spans = z.array(Span).min(1);

/** A neutral block: drawn to Slack blocks and to terminal text from the same source. */
export const Block = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('headline'), mark: Mark, spans: Spans }),
  z.strictObject({ kind: z.literal('paragraph'), spans: Spans }),
  z.strictObject({ kind: z.literal('list'), title: z.string(), items: z.array(Spans).min(1) }),
  z.strictObject({ kind: z.literal('quote'), title: z.string(), lines: z.array(z.string()).min(1) }),
  z.strictObject({
    kind: z.literal('progress'),
    title: z.string(),
    steps: z.array(
      z.strictObject({
        id: z.string(),
        title: z.string(),
        status: z.enum(['pending', 'running', 'done', 'failed', 'skipped']),
        detail: z.string().optional(),
      }),
    ),
  }),
  /** A line chart; points as `[epoch ms, value]`. */
  z.strictObject({
    kind: z.literal('chart'),
    title: z.string(),
    unit: z.string(),
    series: z
      .array(z.strictObject({ name: z.string(), points: z.array(z.tuple([z.number(), z.number()])) }))
      .min(1)
      .max(6),
  }),
  /** One line of a list with a menu of its own. On a terminal the line alone. */
  z.strictObject({ kind: z.literal('row'), spans: Spans, menu: z.array(Choice).min(1).max(5) }),
  /** Small print: ids, source, cost. */
  z.strictObject({ kind: z.literal('note'), spans: Spans }),
  /** Where the choices of the message are drawn; at its end without this. */
  z.strictObject({ kind: z.literal('buttons') }),
]);
export type Block = z.infer<typeof Block>;

/** A whole message. `summary` is a full sentence of its own, shown in notifications and where blocks are refused. */
export const Message = z.strictObject({
  summary: z.string().min(1).max(300),
  blocks: z.array(Block),
  choices: z.array(Choice).max(5).optional(),
  /** Choices in a menu behind the buttons: they cost no line. Not on a terminal. */
  menu: z.array(Choice).min(2).max(5).optional(),
  /** No blank lines between its blocks on a terminal. */
  dense: z.boolean().optional(),
});
export type Message = z.infer<typeof Message>;

const NamedText = z.strictObject({ name: z.string(), text: z.string() });

/** A file for the thread, or several as one archive; text is redacted. */
export const Attachment = z.union([
  NamedText.extend({ title: z.string() }),
  z.strictObject({ name: z.string(), title: z.string(), files: z.array(NamedText).min(1) }),
]);
export type Attachment = z.infer<typeof Attachment>;

export const plain = (text: string): Span => ({ kind: 'plain', text });
export const bold = (text: string): Span => ({ kind: 'bold', text });
export const code = (text: string): Span => ({ kind: 'code', text });
