import { bold, type Message } from '../model/message.ts';
import type { Myth } from '../model/myth.ts';
import { clip, list, paragraph, say, type Words } from './words/sentence.ts';
import { capital } from './words/verdict-words.ts';

/** What is answered to someone who asks for a remedy that does not help. */
export function mythMessage({ id, says, instead }: Myth): Message {
  return say('info', `${nameOf(id)}: not the remedy it is said to be`, [
    paragraph(says),
    ...list('What to do instead', [[clip(instead, 500)]]),
  ]);
}

/** What people try at this cause, each with the reason why not. */
export function mythItems(myths: readonly Myth[]): Words[] {
  return myths.map(({ id, says }) => [bold(`${nameOf(id)}: `), clip(says, 400)]);
}

function nameOf(id: string): string {
  return capital(id.replaceAll('-', ' '));
}
