import { bold, type Message, plain, type Span } from '../model/message.ts';
import type { Myth } from '../model/myth.ts';
import { clip, paragraph, say } from './words/sentence.ts';

/** What is answered to someone who asks for a remedy that does not help. */
export function mythMessage({ id, says, instead }: Myth): Message {
  return say('info', `${nameOf(id)}: not the remedy it is said to be`, [
    paragraph(says),
    { kind: 'list', title: 'What to do instead', items: [[plain(clip(instead, 500))]] },
  ]);
}

/** What people try at this cause, each with the reason why not. */
export function mythItems(myths: readonly Myth[]): Span[][] {
  return myths.map(({ id, says }) => [bold(`${nameOf(id)}: `), plain(clip(says, 400))]);
}

function nameOf(id: string): string {
  const words = id.replaceAll('-', ' ');
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}
