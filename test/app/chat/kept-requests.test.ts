import { describe, expect, it } from 'vitest';
import type { ChatCommands, ChatRequest } from '../../../src/app/chat/chat-commands.ts';
import { answerWhatIsHeld, createRequestKeeper, resumeRequests } from '../../../src/app/chat/kept-requests.ts';
import type { Asked } from '../../../src/model/kept-request.ts';
import { createFakeChat } from '../../fakes/chat.ts';
import { createFakeClock, START } from '../../fakes/clock.ts';
import { createFakeIds } from '../../fakes/ids.ts';
import { createFakeLog } from '../../fakes/log.ts';
import { createMemoryStore } from '../../fakes/memory-store.ts';
import { turns } from '../triage/triage-harness.ts';

const PLAN = { use: 'act', verb: 'plan' } as const;
const CLICKED = { conversation: 'C_LLM', ts: '17.1' };
const REQUEST: ChatRequest = {
  text: 'inc_1',
  asker: { user: 'U_ONCALL', conversation: 'C_LLM', responseUrl: 'https://chat.example/response/1' },
  channel: 'C_LLM',
  externallyShared: true,
  clicked: CLICKED,
};

function open() {
  const clock = createFakeClock();
  const ids = createFakeIds();
  const log = createFakeLog();
  const chat = createFakeChat();
  const store = createMemoryStore({ clock, ids });
  const done: { use: string; request: ChatRequest }[] = [];
  const commands = new Proxy({} as ChatCommands, {
    get:
      (_, use: string) =>
      async (...given: unknown[]) => {
        done.push({ use, request: given.at(-1) as ChatRequest });
      },
  });
  const redact = (text: string) => text.replaceAll('s3cret', '[redacted]');
  const untold = new Set<string>();
  const keeper = createRequestKeeper({ store, clock, ids, log, redact, untold });
  // By another process, which has not tried to answer anything yet.
  const resume = (only?: ReadonlySet<string>) => {
    untold.clear();
    return resumeRequests(
      {
        store,
        clock,
        log,
        chat: answerWhatIsHeld(chat, { store, log, untold }),
        untold,
        commands,
        commandName: '/oom',
        isShared: async (channel) => channel === 'C_SHARED',
      },
      only,
    );
  };
  return { keeper, resume, store, clock, chat, done, untold };
}

describe('a request that a restart cut off', () => {
  it('is carried out again as it was asked, from where it was clicked', async () => {
    const { keeper, resume, store, done } = open();
    const kept = await keeper.keep(PLAN, REQUEST);

    await resume();

    const asker = { ...REQUEST.asker, responseUrl: undefined, kept };
    expect(done).toEqual([{ use: 'act', request: { ...REQUEST, asker, kept } }]);
    expect(await store.keptRequests()).toEqual([]);
  });

  it.each([
    ['C_SHARED', true],
    ['C_LLM', false],
  ])('from %s, which did not say whether it is shared, counts as shared: %s', async (channel, externallyShared) => {
    const { keeper, resume, done } = open();
    await keeper.keep(PLAN, { ...REQUEST, channel, externallyShared: undefined });

    await resume();

    expect(done).toMatchObject([{ request: { externallyShared } }]);
  });

  it.each(['resolve inc_1 fixed', 'rollback run_1', 'changes close chg_1 done', 'triage llm/vllm-0', 'constructor'])(
    'typed as `%s` does the same when it is done again',
    async (text) => {
      const { keeper, resume, done } = open();
      await keeper.keep({ use: 'command' }, { ...REQUEST, text });

      await resume();

      expect(done).toMatchObject([{ use: 'command', request: { text } }]);
    },
  );

  it.each<[Asked, string, string]>([
    [{ use: 'command' }, 'resume', '/oom resume'],
    [{ use: 'act', verb: 'rollback' }, 'inc_1 0123456789abcdef', '/oom rollback inc_1'],
  ])('%o is named as it can be typed', async (asked, text, typed) => {
    const { keeper, resume, chat } = open();
    await keeper.keep(asked, { ...REQUEST, text });

    await resume();

    expect(JSON.stringify(chat.whispers)).toContain(`"${typed}"`);
  });

  it('of another process stays with whoever carries it out', async () => {
    const { keeper, resume, store, done } = open();
    const own = await keeper.keep(PLAN, REQUEST);
    await keeper.keep(PLAN, { ...REQUEST, text: 'inc_2' });

    await resume(new Set([own ?? '']));

    expect(done).toMatchObject([{ request: { text: 'inc_1' } }]);
    expect(await store.keptRequests()).toMatchObject([{ text: 'inc_2' }]);
  });

  it('is not, once it was answered', async () => {
    const { keeper, resume, done, chat } = open();
    await keeper.release((await keeper.keep(PLAN, REQUEST)) ?? '');

    await resume();

    expect([done, chat.whispers]).toEqual([[], []]);
  });

  it.each<[string, { asked?: Asked; text?: string; lateMs?: number; isRetried?: boolean }]>([
    ['is ten minutes old', { lateMs: 600_000 }],
    ['was cut off before', { isRetried: true }],
    ['needs the click itself', { asked: { use: 'edit' } }],
    ['could resolve another incident', { asked: { use: 'command' }, text: 'resolve fixed' }],
    ['could take over another incident', { asked: { use: 'command' }, text: 'ack' }],
    ['could roll back a newer run', { asked: { use: 'command' }, text: 'rollback inc_1' }],
    ['could abort a newer run', { asked: { use: 'command' }, text: 'abort inc_1' }],
    ['could answer a later question', { asked: { use: 'act', verb: 'go-on' }, text: 'run_1' }],
    ['could undo a later pause', { asked: { use: 'command' }, text: 'resume' }],
    ['would extend twice', { asked: { use: 'command' }, text: 'changes extend chg_1' }],
    ['held a secret, which is not stored', { text: 'inc_1 set-args --api-key=s3cret' }],
    ['held one in a form', { asked: { use: 'edited', planId: 'p', values: [{ flag: '--api-key', to: 's3cret' }] } }],
  ])('is answered in words where it %s', async (_, { asked = PLAN, text = 'inc_1', lateMs = 0, isRetried = false }) => {
    const { keeper, resume, store, clock, chat, done } = open();
    const id = await keeper.keep(asked, { ...REQUEST, text });
    if (isRetried) await store.retryRequest(id ?? '');
    expect(JSON.stringify(await store.keptRequests())).not.toMatch(/s3cret|response\/1/);
    clock.set(START + lateMs);

    await resume();

    expect(done).toEqual([]);
    expect(chat.whispers.map(({ asker }) => asker.user)).toEqual(['U_ONCALL']);
    expect(await store.keptRequests()).toEqual([]);
  });
});

it('a fault after its triage has taken its place is still told', async () => {
  const { keeper, chat, store } = open();
  const kept = await keeper.keep({ use: 'command' }, REQUEST);
  await keeper.release(kept ?? '');

  await answerWhatIsHeld(chat, { store, log: createFakeLog() }).whisper(
    { ...REQUEST.asker, kept },
    { summary: 'Failed.', blocks: [] },
  );

  expect(chat.whispers).toHaveLength(1);
});

describe('a request whose answer Slack has not taken when the bot stops', () => {
  const answered = async (code: 'away' | 'refused') => {
    const bench = open();
    const { keeper, chat, store, untold } = bench;
    const kept = await keeper.keep({ use: 'command' }, { ...REQUEST, text: 'status' });
    if (code === 'away') chat.isAway = true;
    else chat.refuse('C_LLM');
    const asker = { ...REQUEST.asker, responseUrl: undefined, kept };
    await answerWhatIsHeld(chat, { store, log: createFakeLog(), untold }).whisper(asker, { summary: 'x', blocks: [] });
    await keeper.release(kept ?? '');
    return bench;
  };

  it('is carried out again by the next process', async () => {
    const { resume, done, store } = await answered('away');

    await resume();

    expect(done).toMatchObject([{ use: 'command', request: { text: 'status' } }]);
    expect(await store.keptRequests()).toEqual([]);
  });

  it('waits for the process after that, where Slack is away from the next one too', async () => {
    const { keeper, resume, chat, store, clock } = open();
    await keeper.keep(PLAN, REQUEST);
    clock.set(START + 600_000);
    chat.isAway = true;

    await resume();
    expect(await store.keptRequests()).toHaveLength(1);
    chat.isAway = false;
    await resume();

    expect(chat.whispers).toHaveLength(1);
  });

  it('is not where Slack refuses the answer for good', async () => {
    expect(await (await answered('refused')).store.keptRequests()).toEqual([]);
  });
});

it('a store that is slow holds up no ack, and leaves nothing behind', async () => {
  const { store, clock } = open();
  const slow = Promise.withResolvers<void>();
  const late = {
    ...store,
    keepRequest: (one: Parameters<typeof store.keepRequest>[0]) => slow.promise.then(() => store.keepRequest(one)),
  };
  const keeper = createRequestKeeper({
    store: late,
    clock,
    ids: createFakeIds(),
    log: createFakeLog(),
    redact: (text) => text,
  });

  const kept = keeper.keep(PLAN, REQUEST);
  await clock.advance(1000);
  expect(await kept).toBeUndefined();
  slow.resolve();
  await turns();

  expect(await store.keptRequests()).toEqual([]);
});
