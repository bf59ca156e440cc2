import { z } from 'zod';

/** A string of Slack: never empty, at most `max` characters. */
export const text = (max: number) => z.string().min(1).max(max);

export const plainText = (max: number) =>
  z.strictObject({ type: z.literal('plain_text'), text: text(max), emoji: z.boolean().optional() });

export const mrkdwn = (max: number) =>
  z.strictObject({ type: z.literal('mrkdwn'), text: text(max), verbatim: z.boolean().optional() });

export const anyText = (max: number) => z.discriminatedUnion('type', [plainText(max), mrkdwn(max)]);

export const id = () => text(255);
export const url = () => text(3000);
