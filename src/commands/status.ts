import { readStatus } from '../app/status.ts';
import { rightsOf } from '../config.ts';
import { OomError } from '../model/errors.ts';
import { noStore, statusMessage } from '../report/status.ts';
import { runAskBot } from './ask-bot.ts';
import type { BotOptions } from './bot-access.ts';
import { tools, userName } from './clusters.ts';
import type { CommandContext } from './context.ts';
import { type Format, type FormatOptions, formatOf, sayData } from './output-format.ts';
import { EXIT, say } from './terminal.ts';
import { withStore } from './with-store.ts';

// No token, no kubeconfig to take one from, no bot: the store has the same open incidents.
const STORE_ANSWERS_INSTEAD: ReadonlySet<string> = new Set(['not-allowed', 'bad-config', 'bot-unreachable']);

/** `oom status`: from the named or configured bot; from the store if there is none, or if the configured one does not answer. */
export async function runStatus(
  context: CommandContext,
  page: string | undefined,
  { json, output, ...options }: BotOptions & FormatOptions,
): Promise<number> {
  const format = formatOf({ json, output });
  const rest = page ?? '';
  if (format !== 'text' && options.bot !== undefined) throw textOnly();
  if (format !== 'text' || (options.bot ?? context.config().acting.port) === undefined)
    return storeStatus(context, rest, format);
  try {
    return await runAskBot(context, 'status', [rest], options);
  } catch (error) {
    if (options.bot !== undefined || !(error instanceof OomError) || !STORE_ANSWERS_INSTEAD.has(error.code))
      throw error;
    context.terminal.err(`oom: ${error.message} Reading the configured store instead.`);
    return storeStatus(context, rest, format);
  }
}

async function storeStatus(context: CommandContext, rest: string, format: Format): Promise<number> {
  const { terminal } = context;
  const config = context.config();
  return withStore(
    config.store,
    async (store) => {
      const actor = { place: 'terminal', user: userName() } as const;
      if (format !== 'text') {
        for (const incident of await store.openIncidents()) sayData(terminal, format, incident);
      } else {
        // Causes are in words that the playbooks give.
        await context.knowledge();
        const now = await readStatus({ store, acts: store, rights: rightsOf(config) }, actor, { rest });
        say(terminal, [statusMessage(now, tools.clock.now(), 'oom')]);
      }
      return EXIT.ok;
    },
    (path) => {
      if (format === 'text') say(terminal, [noStore(path, 'status')]);
      return EXIT.ok;
    },
  );
}

function textOnly(): OomError {
  return new OomError('bad-input', 'The bot answers `oom status` as text only.', {
    next: 'Leave out `--bot` to read the store, or leave out the output format.',
  });
}
