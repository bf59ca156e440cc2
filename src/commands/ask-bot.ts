import { OomError } from '../model/errors.ts';
import type { Message } from '../model/message.ts';
import { PortAnswer } from '../wire/act-port.ts';
import { type BotOptions, botAddress, botToken, noToken } from './bot-access.ts';
import type { CommandContext } from './context.ts';
import { EXIT, say, type Terminal } from './terminal.ts';

export type AskBotDeps = {
  readonly terminal: Terminal;
  /** URL of the running bot; undefined if none is configured. */
  readonly url: string | undefined;
  readonly token: () => Promise<string | undefined>;
  readonly timeoutMs?: number;
};

const TIMEOUT_MS = 30_000;

/** `oom approve|reject|rollback|abort|pause|resume` by the configuration and the options of the command. */
export async function runAskBot(
  { terminal, config }: CommandContext,
  verb: string,
  words: readonly string[],
  { bot, tokenFile }: BotOptions,
): Promise<number> {
  const { acting } = config();
  const url = botAddress(bot, acting.port);
  return askBot({ terminal, url, token: () => botToken(config(), tokenFile) }, verb, words.join(' '));
}

/** The running bot is asked, since only it keeps approvals and runs. */
export async function askBot(
  { terminal, url, token, timeoutMs = TIMEOUT_MS }: AskBotDeps,
  verb: string,
  rest: string,
): Promise<number> {
  if (url === undefined) throw noBot(`\`oom ${verb}\` needs the running bot, but \`acting.port\` is not set.`);
  const bearer = await token();
  if (bearer === undefined) throw noToken();
  const { status, body } = await send({ url, bearer, timeoutMs }, { verb, rest });
  const answer = PortAnswer.safeParse(body);
  if (!answer.success) throw noBot(`${url} answered, but it is not a bot that takes commands (HTTP ${status}).`);
  if ('says' in answer.data) {
    terminal.err(`${terminal.paint.red(`oom: ${answer.data.says}`)}\n${answer.data.next}`);
    return STATUS[status] ?? EXIT.failed;
  }
  say(terminal, answer.data.messages);
  return exitOf(answer.data.messages, verb);
}

const STATUS: Readonly<Record<number, number>> = {
  401: EXIT.notAllowed,
  403: EXIT.notAllowed,
  503: EXIT.unreachable,
};

// A refusal is marked `bad`. For these verbs a warning is the answer, not a failure.
const WARNS: ReadonlySet<string> = new Set(['pause', 'status']);

function exitOf(messages: readonly Message[], verb: string): number {
  const marks = messages.flatMap(({ blocks }) => blocks.flatMap((b) => (b.kind === 'headline' ? [b.mark] : [])));
  if (marks.includes('bad')) return EXIT.notAllowed;
  return marks.includes('warn') && !WARNS.has(verb) ? EXIT.failed : EXIT.ok;
}

async function send(
  { url, bearer, timeoutMs }: { url: string; bearer: string; timeoutMs: number },
  asked: { verb: string; rest: string },
): Promise<{ status: number; body: unknown }> {
  try {
    const response = await fetch(new URL('/v1/act', url), {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify(asked),
      // A token is shown to the bot alone.
      redirect: 'error',
      signal: AbortSignal.timeout(timeoutMs),
    });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  } catch (cause) {
    const lost = asked.verb === 'status' ? '' : '. Your command may not have run: check `oom status`';
    throw noBot(`No bot answers at ${url}${lost}.`, cause);
  }
}

function noBot(says: string, cause?: unknown): OomError {
  return new OomError('bot-unreachable', says, {
    next: 'Type the same in Slack. Or set `acting.port` and forward it: `kubectl -n oombot port-forward deploy/oombot <port>`. If the bot is elsewhere, add `--bot <url>`.',
    cause,
  });
}
