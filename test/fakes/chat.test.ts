import { testChat } from '../contracts/chat.ts';
import { createFakeChat } from './chat.ts';

testChat('in memory', async () => {
  const chat = createFakeChat();
  const textOf = (message: unknown): string => JSON.stringify(message);
  return {
    chat,
    shown: (ref) => chat.posts.filter((p) => p.ref.ts === ref.ts).map((p) => textOf(p.message))[0],
    replies: (ref) => chat.replies(ref).map((p) => textOf(p.message)),
    whispered: (user) => chat.whispers.filter((w) => w.asker.user === user).map((w) => textOf(w.message)),
    files: (thread) =>
      chat.files
        .filter((f) => f.thread.ts === thread.ts)
        .map((f) => ({ name: f.name, text: 'text' in f ? f.text : f.files.map(({ text }) => text).join('\n') })),
    responseUrl: () => 'https://chat.example/response/1',
    removeBot: (conversation) => chat.refuse(conversation),
    remove: (ref) => chat.remove(ref),
    close: async () => undefined,
  };
});
