import { z } from 'zod';
import { id, text, url } from './texts.ts';

const Style = z.strictObject({ bold: z.boolean(), code: z.boolean() }).partial().optional();

const RichString = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style: Style });

// `broadcast` is left out on purpose: nothing we send may call a whole channel.
const RichElement = z.discriminatedUnion('type', [
  RichString,
  z.strictObject({ type: z.literal('link'), url: url(), text: z.string().min(1).optional() }),
  z.strictObject({ type: z.literal('user'), user_id: id() }),
  z.strictObject({ type: z.literal('usergroup'), usergroup_id: id() }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: text(255),
    fallback: z.string().optional(),
  }),
]);

const RichSection = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(RichElement).min(1) });

const RichPart = z.discriminatedUnion('type', [
  RichSection,
  z.strictObject({
    type: z.literal('rich_text_list'),
    style: z.literal('bullet'),
    elements: z.array(RichSection).min(1),
  }),
  z.strictObject({ type: z.literal('rich_text_preformatted'), elements: z.array(RichString).min(1) }),
]);

export const RichText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: id().optional(),
  elements: z.array(RichPart).min(1),
});
