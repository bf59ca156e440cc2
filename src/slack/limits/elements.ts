import { z } from 'zod';
import { anyText, id, plainText, text, url } from './texts.ts';

/** A confirm dialog; all four texts are asked for, since Slack's own words say nothing about the target. */
const Confirm = z.strictObject({
  title: plainText(100),
  text: anyText(300),
  confirm: plainText(30),
  deny: plainText(30),
  style: z.enum(['primary', 'danger']).optional(),
});

const option = (withUrl: boolean) =>
  z.strictObject({
    text: anyText(75),
    // The documentation says 150, the types still say 75: the smaller one holds everywhere.
    value: text(75),
    description: anyText(75).optional(),
    ...(withUrl ? { url: url().optional() } : {}),
  });

const Group = z.strictObject({ label: plainText(75), options: z.array(option(false)).min(1).max(100) });
const action = { action_id: id(), confirm: Confirm.optional(), focus_on_load: z.boolean().optional() };

export const Button = z.strictObject({
  type: z.literal('button'),
  text: plainText(75),
  action_id: id(),
  value: text(2000).optional(),
  url: url().optional(),
  style: z.enum(['primary', 'danger']).optional(),
  confirm: Confirm.optional(),
  accessibility_label: text(75).optional(),
});

export const Overflow = z.strictObject({
  type: z.literal('overflow'),
  action_id: id(),
  options: z.array(option(true)).min(1).max(5),
  confirm: Confirm.optional(),
});

export const StaticSelect = z
  .strictObject({
    type: z.literal('static_select'),
    ...action,
    placeholder: plainText(150).optional(),
    options: z.array(option(false)).min(1).max(100).optional(),
    option_groups: z.array(Group).min(1).max(100).optional(),
    initial_option: option(false).optional(),
  })
  .refine((s) => (s.options === undefined) !== (s.option_groups === undefined), {
    error: 'must have either options or option_groups',
  });

const choices = <T extends string>(type: T) =>
  z.strictObject({ type: z.literal(type), ...action, options: z.array(option(false)).min(1).max(10) });

export const Checkboxes = choices('checkboxes').extend({ initial_options: z.array(option(false)).min(1).optional() });
export const RadioButtons = choices('radio_buttons').extend({ initial_option: option(false).optional() });

export const PlainTextInput = z.strictObject({
  type: z.literal('plain_text_input'),
  action_id: id().optional(),
  placeholder: plainText(150).optional(),
  initial_value: z.string().max(3000).optional(),
  multiline: z.boolean().optional(),
  min_length: z.int().min(0).max(3000).optional(),
  max_length: z.int().min(1).max(3000).optional(),
  focus_on_load: z.boolean().optional(),
});

const numeral = z.string().regex(/^-?\d+(\.\d+)?$/, { error: 'must be a number in a string' });
export const NumberInput = z.strictObject({
  type: z.literal('number_input'),
  action_id: id().optional(),
  is_decimal_allowed: z.boolean(),
  min_value: numeral.optional(),
  max_value: numeral.optional(),
  initial_value: numeral.optional(),
  placeholder: plainText(150).optional(),
  focus_on_load: z.boolean().optional(),
});

const SlackFile = z.strictObject({ id: id().optional(), url: url().optional() });
export const ImageElement = z
  .strictObject({
    type: z.literal('image'),
    image_url: url().optional(),
    slack_file: SlackFile.optional(),
    alt_text: text(2000),
  })
  .refine((i) => (i.image_url === undefined) !== (i.slack_file === undefined), {
    error: 'must have either image_url or slack_file',
  });
