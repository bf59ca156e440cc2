import { z } from 'zod';
import { DataVisualization } from './charts.ts';
import {
  Button,
  Checkboxes,
  ImageElement,
  NumberInput,
  Overflow,
  PlainTextInput,
  RadioButtons,
  StaticSelect,
} from './elements.ts';
import { RichText } from './rich-text.ts';
import { anyText, id, mrkdwn, plainText, text, url } from './texts.ts';

const block_id = id().optional();

const Section = z
  .strictObject({
    type: z.literal('section'),
    block_id,
    text: anyText(3000).optional(),
    fields: z.array(anyText(2000)).min(1).max(10).optional(),
    accessory: z
      .discriminatedUnion('type', [Button, Overflow, StaticSelect, ImageElement, Checkboxes, RadioButtons])
      .optional(),
    expand: z.boolean().optional(),
  })
  .refine((s) => s.text !== undefined || s.fields !== undefined, { error: 'must have either text or fields' });

const Header = z.strictObject({
  type: z.literal('header'),
  block_id,
  text: plainText(150),
  level: z.int().min(1).max(4).optional(),
});

const Context = z.strictObject({
  type: z.literal('context'),
  block_id,
  elements: z
    .array(z.discriminatedUnion('type', [plainText(3000), mrkdwn(3000), ImageElement]))
    .min(1)
    .max(10),
});

const Actions = z.strictObject({
  type: z.literal('actions'),
  block_id,
  elements: z
    .array(z.discriminatedUnion('type', [Button, Overflow, StaticSelect, Checkboxes, RadioButtons]))
    .min(1)
    .max(25),
});

const Divider = z.strictObject({ type: z.literal('divider'), block_id });

const Image = z.strictObject({
  type: z.literal('image'),
  block_id,
  image_url: url(),
  alt_text: text(2000),
  title: plainText(2000).optional(),
});

const RawText = z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) });
const Cell = z.discriminatedUnion('type', [RawText, RichText]);
const Column = z.strictObject({
  align: z.enum(['left', 'center', 'right']).optional(),
  is_wrapped: z.boolean().optional(),
});

const Table = z.strictObject({
  type: z.literal('table'),
  block_id,
  rows: z.array(z.array(Cell).min(1).max(20)).min(1).max(100),
  column_settings: z.array(Column.nullable()).max(20).optional(),
});

const DataTable = z
  .strictObject({
    type: z.literal('data_table'),
    block_id,
    caption: text(3000),
    rows: z.array(z.array(Cell).min(1).max(20)).min(2).max(101),
    page_size: z.int().min(1).max(100).optional(),
    row_header_column_index: z.int().min(0).max(19).optional(),
  })
  .refine((t) => t.rows.every((row) => row.length === t.rows[0]?.length), { error: 'rows must have equal lengths' })
  .refine((t) => t.rows[0]?.every((cell) => cell.type === 'raw_text'), { error: 'header cells must be raw_text' });

const Markdown = z.strictObject({ type: z.literal('markdown'), block_id, text: text(12_000) });

const TaskCard = z.strictObject({
  type: z.literal('task_card'),
  block_id,
  task_id: id(),
  title: text(3000),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: RichText.optional(),
  output: RichText.optional(),
  sources: z.array(z.strictObject({ type: z.literal('url'), url: url(), text: text(3000) })).optional(),
});

const Plan = z.strictObject({
  type: z.literal('plan'),
  block_id,
  title: text(3000),
  tasks: z.array(TaskCard).min(1).optional(),
});

const Input = z.strictObject({
  type: z.literal('input'),
  block_id,
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  dispatch_action: z.boolean().optional(),
  element: z.discriminatedUnion('type', [PlainTextInput, NumberInput, StaticSelect, Checkboxes, RadioButtons]),
});

const Container = z
  .strictObject({
    type: z.literal('container'),
    block_id,
    title: plainText(150).optional(),
    rich_text_title: RichText.optional(),
    subtitle: anyText(150).optional(),
    child_blocks: z
      .array(z.discriminatedUnion('type', [Actions, Context, Divider, Header, Image, Input, RichText, Section, Table]))
      .min(1)
      .max(10),
    width: z.enum(['narrow', 'standard', 'wide', 'full']).optional(),
    is_collapsible: z.boolean().optional(),
    default_collapsed: z.boolean().optional(),
    has_header_divider: z.boolean().optional(),
  })
  .refine((c) => c.title !== undefined || c.rich_text_title !== undefined, {
    error: 'must have either title or rich_text_title',
  })
  .refine((c) => c.default_collapsed !== true || c.is_collapsible === true, {
    error: 'default_collapsed requires is_collapsible',
  });

export const AnyBlock = z.discriminatedUnion('type', [
  Section,
  Header,
  Context,
  Actions,
  Divider,
  Image,
  RichText,
  Table,
  DataTable,
  Markdown,
  TaskCard,
  Plan,
  Input,
  Container,
  DataVisualization,
]);
export type AnyBlock = z.infer<typeof AnyBlock>;

/** Surfaces a block may stand on: M message, V modal, H Home tab. */
export const SURFACES: Readonly<Record<AnyBlock['type'], string>> = {
  section: 'MVH',
  header: 'MVH',
  context: 'MVH',
  actions: 'MVH',
  divider: 'MVH',
  image: 'MVH',
  rich_text: 'MVH',
  table: 'MH',
  data_table: 'MH',
  markdown: 'M',
  task_card: 'M',
  plan: 'M',
  input: 'MVH',
  container: 'M',
  data_visualization: 'M',
};
