import type { Message } from '../../src/model/message.ts';
import { drawMessage } from '../../src/slack/draw/message.ts';

/** All that a reader of Slack sees of a message, buttons included: no fallback text, no ids, no dialogs. */
export function visibleText(message: Message): string {
  return textsIn(drawMessage(message).blocks)
    .join('')
    .replace(/<!date[^|]*\|([^>]*)>/g, '$1')
    .replace(/&(?:amp|lt|gt);/g, '.');
}

function textsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, one]) =>
    typeof one === 'string' ? (key === 'text' ? [one] : []) : key === 'confirm' ? [] : textsIn(one),
  );
}
