import { toOomError } from '../../model/errors.ts';
import { code, type Message, plain } from '../../model/message.ts';

/** An error for the requester: what happened, the next step and the code. */
export function faultMessage(thrown: unknown): Message {
  const error = toOomError(thrown);
  return {
    summary: error.message.slice(0, 300) || 'Something failed.',
    blocks: [
      { kind: 'headline', mark: 'bad', spans: [plain(error.message)] },
      { kind: 'paragraph', spans: [plain(error.next)] },
      { kind: 'note', spans: [plain('Code '), code(error.code)] },
    ],
  };
}
