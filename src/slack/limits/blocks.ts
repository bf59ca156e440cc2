import { z } from 'zod';
import { DataVisualization } from './charts.ts';
import { RichText } from './rich-text.ts';
import { anyText, id, plainText, text } from './texts.ts';

// The blocks that we draw, and no others: what is not here is refused before it is sent.

const block_id = id().optional();

const Context = z.strictObject({
  type: z.literal('context'),
  block_id,
  elements: z.array(anyText(3000)).min(1).max(10),
});

const Confirm = z.strictObject({
  title: plainText(100),
  text: plainText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});

const Button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  action_id: id(),
  value: text(2000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: Confirm.optional(),
});

const Option = z.strictObject({ text: plainText(75), value: text(150) });
const Overflow = z.strictObject({
  type: z.literal('overflow'),
  action_id: id(),
  options: z.array(Option).min(1).max(5),
});

const Section = z
  .strictObject({
    type: z.literal('section'),
    block_id,
    text: anyText(3000).optional(),
    accessory: Overflow.optional(),
    fields: z.array(anyText(2000)).min(1).max(10).optional(),
  })
  .refine((s) => s.text !== undefined || s.fields !== undefined, { error: 'must have either text or fields' });

const Actions = z.strictObject({
  type: z.literal('actions'),
  block_id,
  elements: z
    .array(z.discriminatedUnion('type', [Button, Overflow]))
    .min(1)
    .max(25),
});

const Divider = z.strictObject({ type: z.literal('divider'), block_id });

const Cell = z.strictObject({ type: z.literal('raw_text'), text: z.string().min(1) });
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

const TaskCard = z.strictObject({
  type: z.literal('task_card'),
  task_id: id(),
  title: text(3000),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: RichText.optional(),
});

const Plan = z.strictObject({
  type: z.literal('plan'),
  block_id,
  title: text(3000),
  tasks: z.array(TaskCard).min(1).optional(),
});

const PlainTextInput = z.strictObject({
  type: z.literal('plain_text_input'),
  action_id: id(),
  initial_value: z.string().max(3000).optional(),
  max_length: z.int().min(1).max(3000).optional(),
});

const bound = z.string().regex(/^-?\d+(\.\d+)?$/);

// An optional bound to Slack; a number without its bounds is none that we ask for.
const NumberInput = z.strictObject({
  type: z.literal('number_input'),
  action_id: id(),
  is_decimal_allowed: z.boolean(),
  min_value: bound,
  max_value: bound,
  initial_value: bound.optional(),
});

const Group = z.strictObject({ label: plainText(75), options: z.array(Option).min(1).max(100) });
const StaticSelect = z.strictObject({
  type: z.literal('static_select'),
  action_id: id(),
  option_groups: z.array(Group).min(1).max(100),
});

const Input = z.strictObject({
  type: z.literal('input'),
  block_id,
  label: plainText(2000),
  hint: plainText(2000).optional(),
  optional: z.boolean().optional(),
  element: z.discriminatedUnion('type', [PlainTextInput, NumberInput, StaticSelect]),
});

export const AnyBlock = z.discriminatedUnion('type', [
  Section,
  Context,
  Actions,
  Divider,
  RichText,
  Table,
  Plan,
  Input,
  DataVisualization,
]);
export type AnyBlock = z.infer<typeof AnyBlock>;

/** Surfaces a block may stand on: M message, V modal, H Home tab. */
export const SURFACES: Readonly<Record<AnyBlock['type'], string>> = {
  section: 'MVH',
  context: 'MVH',
  actions: 'MVH',
  divider: 'MVH',
  rich_text: 'MVH',
  table: 'MH',
  plan: 'M',
  input: 'MVH',
  data_visualization: 'M',
};
