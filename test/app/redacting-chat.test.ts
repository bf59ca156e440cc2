import { expect, it } from 'vitest';
import { redactingChat } from '../../src/app/redacting-chat.ts';
import { Message } from '../../src/model/message.ts';
import { planRefused } from '../../src/report/acting-words.ts';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { redactJson } from '../../src/snapshot/redact-json.ts';
import { createFakeChat } from '../fakes/chat.ts';

it('shows no key that an engine was started with, wherever it speaks', async () => {
  const redactor = createRedactor();
  const inner = createFakeChat();
  const chat = redactingChat(inner, (message) => Message.parse(redactJson(message, redactor)));
  const paste = `kubectl patch x -p='[{"op":"test","path":"/args","value":["--api-key","hunter2secret","--model","m"]}]'`;
  const message = planRefused('It cannot be done.', 'By hand:', paste);

  const posted = await chat.post('C_LLM', message);
  await chat.whisper({ user: 'U_ONCALL', conversation: 'C_LLM', responseUrl: undefined }, message);
  if (posted.kind === 'posted') await chat.update(posted.ref, message);

  const shown = JSON.stringify([inner.posts, inner.whispers]);
  expect(shown).toContain('--model');
  expect(shown).not.toContain('hunter2secret');
});
