import type { Asked, KeptRequest } from '../../model/kept-request.ts';
import { cutOff } from '../../report/notices.ts';
import { answerAsker } from '../answer-asker.ts';
import { typedWords } from '../command.ts';
import type { RequestStore } from '../outbox-ports.ts';
import type { Asker, Chat, Clock, Ids, Log } from '../ports.ts';
import type { ChatCommands, ChatRequest } from './chat-commands.ts';

type Unsettled = Omit<ChatRequest, 'externallyShared'> & { readonly externallyShared: boolean | undefined };

type RequestKeeper = {
  /** Stores a request before it is acknowledged. Undefined where the store fails or is slow: the ack must not wait. */
  keep(asked: Asked, request: Unsettled): Promise<string | undefined>;
  release(id: string): Promise<void>;
};

type KeeperDeps = {
  readonly store: RequestStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly redact: (text: string) => string;
  /** Kept requests whose answer Slack has not taken: the next process has them. */
  readonly untold?: Set<string> | undefined;
};

// Slack waits three seconds for an ack.
const PATIENCE_MS = 1000;

export function createRequestKeeper(deps: KeeperDeps): RequestKeeper {
  const { store, clock, ids, log, untold } = deps;
  const release = (id: string): Promise<void> =>
    store.releaseRequest(id).catch((error) => log.warn('answered request not released', { error, request: id }));
  return {
    release: async (id) => (untold?.has(id) === true ? undefined : release(id)),
    async keep(asked, request) {
      const kept = toKept(deps, asked, request, ids.next('req'));
      const stored = new AbortController();
      const late = clock.sleep(PATIENCE_MS, stored.signal).then(
        () => true,
        () => false,
      );
      const write = store.keepRequest(kept).then(
        () => kept.id,
        (error: unknown) => {
          log.error('request not stored', { error });
          return undefined;
        },
      );
      const id = await Promise.race([write, late.then(() => undefined)]);
      stored.abort();
      // What is stored after that would be carried out once more after the next restart.
      if (id === undefined) void write.then((written) => (written === undefined ? undefined : release(written)));
      return id;
    },
  };
}

function toKept({ clock, redact }: KeeperDeps, asked: Asked, request: Unsettled, id: string): KeptRequest {
  const { asker, channel, clicked = null } = request;
  const text = redact(request.text);
  const given = JSON.stringify(asked);
  const shown = redact(given);
  return {
    id,
    at: clock.now(),
    asked: shown === given ? asked : { use: 'edit' },
    text,
    user: asker.user,
    channel,
    externallyShared: request.externallyShared ?? null,
    clicked,
    isCut: text !== request.text || shown !== given,
    isRetried: false,
  };
}

/** The same chat; a kept request that another process has taken over, or has answered since, is answered there alone. */
export function answerWhatIsHeld(
  chat: Chat,
  { store, log, untold }: Pick<KeeperDeps, 'store' | 'log' | 'untold'>,
): Chat {
  return {
    ...chat,
    async whisper(asker, message) {
      // Where the store is away, who asked needs the answer more.
      if (asker.kept === undefined || (await store.holdsRequest(asker.kept).catch(() => true))) {
        const told = await chat.whisper(asker, message);
        if (told.kind === 'refused' && told.retryMs !== undefined && asker.kept) untold?.add(asker.kept);
        return told;
      }
      log.info('answer dropped: another replica has taken the request over', { request: asker.kept });
      return { kind: 'posted', ref: { conversation: asker.conversation, ts: 'dropped' }, plain: false };
    },
  };
}

/** Carries out what somebody asked for. */
export function carryOut(commands: ChatCommands, asked: Asked, request: ChatRequest): Promise<void> {
  switch (asked.use) {
    case 'act':
      return commands.act(asked.verb, request);
    case 'edited':
      return commands.edited({ planId: asked.planId, values: asked.values }, request);
    case 'edit':
      return commands.editForm(request).then(() => undefined);
    default:
      return commands[asked.use](request);
  }
}

const YOUNG_MS = 10 * 60_000;

type ResumeDeps = Pick<KeeperDeps, 'store' | 'clock' | 'log' | 'untold'> & {
  readonly chat: Chat;
  readonly commands: ChatCommands;
  readonly commandName: string;
  /** Whether a channel is shared with another organization. */
  readonly isShared: (channel: string) => Promise<boolean>;
};

/** Requests that a stop cut off run again if recent, else the asker gets a message: all, or those of `only`. Ends when all are. */
export async function resumeRequests(deps: ResumeDeps, only?: ReadonlySet<string>): Promise<void> {
  const kept = (await deps.store.keptRequests()).filter(({ id }) => only === undefined || only.has(id));
  if (kept.length > 0) deps.log.info('requests interrupted by the last shutdown', { count: kept.length });
  await Promise.all(
    kept.map((one) =>
      resume(deps, one).catch((error) => deps.log.error('interrupted request not resumed', { error, request: one.id })),
    ),
  );
}

async function resume(deps: ResumeDeps, kept: KeptRequest): Promise<void> {
  const { store, clock, commands, commandName } = deps;
  const asker: Asker = { user: kept.user, conversation: kept.channel, responseUrl: undefined, kept: kept.id };
  const isYoung = clock.now() - kept.at < YOUNG_MS;
  // What was cut off twice may be what cuts it off.
  if (isYoung && !kept.isCut && !kept.isRetried && isRepeatable(kept)) {
    await store.retryRequest(kept.id);
    const { text, channel, clicked } = kept;
    const externallyShared = kept.externallyShared ?? (await deps.isShared(channel));
    await carryOut(commands, kept.asked, {
      ...{ text, asker, channel, externallyShared },
      ...{ clicked: clicked ?? undefined, kept: kept.id },
    });
  } else {
    await answerAsker(deps, asker, cutOff(typedOf(kept), commandName), { request: kept.id });
  }
  if (deps.untold?.delete(kept.id) !== true) await store.releaseRequest(kept.id);
}

const NEEDS_ID: Readonly<Record<string, RegExp>> = {
  ack: /^inc_/,
  resolve: /^inc_/,
  rollback: /^run_/,
  abort: /^run_/,
};
const ONCE: ReadonlySet<string> = new Set(['resume', 'go-on']);

// Done twice, it must do the same: without an id it could hit another incident or run, `resume` a later pause, `go-on`
// a later question, and an extension would count twice. A form needs the click itself.
function isRepeatable({ asked, text }: Pick<KeptRequest, 'asked' | 'text'>): boolean {
  if (asked.use === 'edit') return false;
  const words = typedWords(text);
  const [verb = '', first = ''] = asked.use === 'act' ? [asked.verb, ...words] : words;
  if (asked.use !== 'act' && asked.use !== 'command') return true;
  if (ONCE.has(verb) || (verb === 'changes' && first === 'extend')) return false;
  return !Object.hasOwn(NEEDS_ID, verb) || NEEDS_ID[verb]?.test(first) === true;
}

// What can be typed again. A button's value is no command.
function typedOf({ asked, text, isCut }: KeptRequest): string {
  if (isCut) return '';
  if (asked.use === 'act') return `${asked.verb} ${text.split(/\s/, 1)[0]}`;
  return asked.use === 'command' ? text : '';
}
