import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Asker, Chat } from '../../src/app/ports.ts';
import type { MessageRef } from '../../src/model/incident.ts';
import { type Message, plain } from '../../src/model/message.ts';

/** What the suite needs to see of the other side. */
type ChatHarness = {
  readonly chat: Chat;
  shown(ref: MessageRef): string | undefined;
  replies(ref: MessageRef): readonly string[];
  whispered(user: string): readonly string[];
  files(thread: MessageRef): readonly { name: string; text: string }[];
  /** A response_url that has not been used. */
  responseUrl(user: string, conversation: string): string;
  removeBot(conversation: string): void;
  remove(ref: MessageRef): void;
  close(): Promise<void>;
};

const CHANNEL = 'C_ONCALL';
const says = (text: string): Message => ({ summary: text, blocks: [{ kind: 'paragraph', spans: [plain(text)] }] });

/** Every chat, in memory or real, keeps to this. */
export function testChat(name: string, create: () => Promise<ChatHarness>): void {
  describe(`a chat: ${name}`, () => {
    let harness: ChatHarness;
    let chat: Chat;
    beforeEach(async () => {
      harness = await create();
      chat = harness.chat;
    });
    afterEach(() => harness.close());

    const posted = async (message: Message, thread?: MessageRef): Promise<MessageRef> => {
      const outcome = await chat.post(CHANNEL, message, thread);
      if (outcome.kind !== 'posted') throw new Error(`refused: ${outcome.code}`);
      return outcome.ref;
    };
    const asker = (responseUrl?: string): Asker => ({ user: 'U_ONCALL', conversation: CHANNEL, responseUrl });

    it('shows what is posted, with its own place', async () => {
      const first = await posted(says('one'));
      const second = await posted(says('two'));

      expect(first).not.toEqual(second);
      expect(harness.shown(first)).toContain('one');
      expect(harness.shown(second)).toContain('two');
    });

    it('puts a reply below its parent and nowhere else', async () => {
      const card = await posted(says('card'));
      await posted(says('reply'), card);

      expect(harness.replies(card)).toEqual([expect.stringContaining('reply')]);
    });

    it('changes a message in place', async () => {
      const card = await posted(says('reading'));

      const outcome = await chat.update(card, says('RAM ran out'));

      expect(outcome).toEqual({ kind: 'posted', ref: card, plain: false });
      expect(harness.shown(card)).toContain('RAM ran out');
      expect(harness.shown(card)).not.toContain('reading');
    });

    it('posts anew what cannot be changed any more', async () => {
      const card = await posted(says('reading'));
      harness.remove(card);

      const outcome = await chat.update(card, says('RAM ran out'));

      if (outcome.kind !== 'posted') throw new Error('refused');
      expect(harness.shown(outcome.ref)).toContain('RAM ran out');
    });

    it('leaves alone what cannot be changed any more, where nothing is to be posted in its place', async () => {
      const card = await posted(says('reading'));
      harness.remove(card);
      const outcome = await chat.update(card, says('RAM ran out'));
      if (outcome.kind !== 'posted') throw new Error('refused');

      expect(await chat.update(card, says('See the other one'), 'leave')).toMatchObject({ kind: 'refused' });
      expect(harness.shown(outcome.ref)).toContain('RAM ran out');
    });

    it('hangs files below a message, byte for byte', async () => {
      const card = await posted(says('card'));
      const text = 'CUDA out of memory <&> ünïcode\n'.repeat(50);

      const files = [
        { name: 'previous.log', text },
        { name: 'events.json', text: '[]' },
      ];

      await chat.attach(
        card,
        files.map((file) => ({ ...file, title: 'Evidence' })),
      );

      expect(harness.files(card)).toEqual(files);
    });

    it('whispers to one person, and to that person only', async () => {
      await chat.whisper(asker(), says('only you'));
      await chat.whisper(asker(harness.responseUrl('U_ONCALL', CHANNEL)), says('you again'));

      expect(harness.whispered('U_ONCALL')).toEqual([
        expect.stringContaining('only you'),
        expect.stringContaining('you again'),
      ]);
      expect(harness.whispered('U_STRANGER')).toEqual([]);
    });

    it('says why it may not post and what to do, and still reaches the asker', async () => {
      harness.removeBot(CHANNEL);

      const outcome = await chat.post(CHANNEL, says('card'));
      const whisper = await chat.whisper(asker(harness.responseUrl('U_ONCALL', CHANNEL)), says('finding'));

      const next = expect.stringContaining('/invite');
      expect(outcome).toMatchObject({ kind: 'refused', code: 'not_in_channel', next });
      expect(whisper).toMatchObject({ kind: 'posted' });
      expect(harness.whispered('U_ONCALL')).toEqual([expect.stringContaining('finding')]);
    });

    it('links to a message that stands, and to no other', async () => {
      const card = await posted(says('card'));

      expect(await chat.permalink(card)).toMatch(/^https?:\/\//);
      expect(await chat.permalink({ conversation: CHANNEL, ts: '1.999999' })).toBeUndefined();
    });
  });
}
