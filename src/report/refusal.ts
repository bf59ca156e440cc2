import type { OomError } from '../model/errors.ts';
import { type Block, code, type Message, plain } from '../model/message.ts';
import { clip, paragraph, say } from './sentence.ts';

/** What failed, what to do next, and the code at the end. What is to be pasted stands apart. */
export function refusal(error: OomError, query: string): Message {
  const [words = '', ...paste] = error.next.split('\n');
  const blocks: Block[] = [paragraph(words === '' ? 'Try again.' : words)];
  if (paste.length > 0) blocks.push({ kind: 'quote', title: 'To paste', lines: paste });
  const asked = query.trim() === '' ? [] : [plain('asked for '), code(clip(query.trim(), 150)), plain(' · ')];
  blocks.push({ kind: 'note', spans: [...asked, plain(`code ${error.code}`)] });
  return say('bad', error.message, blocks);
}
