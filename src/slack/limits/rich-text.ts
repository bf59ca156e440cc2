import { z } from 'zod';
import { id, text, url } from './texts.ts';

const Style = z
  .strictObject({
    bold: z.boolean(),
    italic: z.boolean(),
    strike: z.boolean(),
    code: z.boolean(),
    underline: z.boolean(),
  })
  .partial()
  .optional();

const RichString = z.strictObject({ type: z.literal('text'), text: z.string().min(1), style: Style });
const RichLink = z.strictObject({
  type: z.literal('link'),
  url: url(),
  text: z.string().min(1).optional(),
  unsafe: z.boolean().optional(),
  style: Style,
});

// `broadcast` is left out on purpose: nothing we send may call a whole channel.
const RichElement = z.discriminatedUnion('type', [
  RichString,
  RichLink,
  z.strictObject({ type: z.literal('user'), user_id: id(), style: Style }),
  z.strictObject({ type: z.literal('channel'), channel_id: id(), style: Style }),
  z.strictObject({ type: z.literal('emoji'), name: id(), unicode: z.string().optional(), style: Style }),
  z.strictObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: text(255),
    url: url().optional(),
    fallback: z.string().optional(),
    style: Style,
  }),
]);

const border = z.union([z.literal(0), z.literal(1)]).optional();
const RichSection = z.strictObject({ type: z.literal('rich_text_section'), elements: z.array(RichElement).min(1) });

const RichPart = z.discriminatedUnion('type', [
  RichSection,
  z.strictObject({
    type: z.literal('rich_text_list'),
    style: z.enum(['bullet', 'ordered']),
    elements: z.array(RichSection).min(1),
    indent: z.int().min(0).max(8).optional(),
    offset: z.int().min(0).optional(),
    border,
  }),
  z.strictObject({ type: z.literal('rich_text_quote'), elements: z.array(RichElement).min(1), border }),
  z.strictObject({
    type: z.literal('rich_text_preformatted'),
    elements: z.array(z.discriminatedUnion('type', [RichString, RichLink])).min(1),
    border,
  }),
]);

export const RichText = z.strictObject({
  type: z.literal('rich_text'),
  block_id: id().optional(),
  elements: z.array(RichPart).min(1),
});
