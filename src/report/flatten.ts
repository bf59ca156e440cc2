import type { Message } from '../model/message.ts';

const BREAKS = /\s*[\n\r\v\f\u0085\u2028\u2029]+\s*/g;

/** A message whose texts have no line breaks: what the cluster says (warnings, reasons, webhooks) can not forge a line of a card. */
export function flatten(message: Message): Message {
  return { ...message, summary: flat(message.summary), blocks: flat(message.blocks) };
}

function flat<T>(value: T): T;
function flat(value: unknown): unknown {
  if (typeof value === 'string') return value.replace(BREAKS, ' ');
  if (Array.isArray(value)) return value.map((one) => flat(one));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, flat(one)]));
}
