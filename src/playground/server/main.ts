import { Command, InvalidArgumentError } from 'commander';
import { readEnvironment } from '../../config.ts';
import { OomError, toOomError } from '../../model/errors.ts';
import { isRealToken } from '../../standins/slack/web-api.ts';
import { bundlePage } from '../page-bundle.ts';
import { SCENARIOS } from '../scenarios/scenarios.ts';
import { FASTEST } from './bot-messages.ts';
import { DEFAULT_PORT, servePage } from './serve-page.ts';

type Options = {
  readonly port?: number;
  readonly speed: number;
  readonly socket: boolean;
  readonly playbooks: readonly string[];
};

const EXIT_USAGE = 2;

/** `npm run playground`: serves the page until Ctrl-C. */
async function run(scenario: string | undefined, { port, speed, socket, playbooks }: Options): Promise<void> {
  refuseRealTokens();
  const interrupted = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
  const served = await servePage({
    page: await bundlePage('app.tsx', 'app.css'),
    scenario: scenario ?? SCENARIOS[0]?.name ?? '',
    mode: socket ? 'socket' : 'http',
    port,
    speed,
    playbooks,
  });
  if (port === undefined && !served.url.endsWith(`:${DEFAULT_PORT}`))
    process.stdout.write(`Port ${DEFAULT_PORT} is in use, took the next free one.\n`);
  process.stdout.write(`Playground: ${served.url}\nSlack and the cluster are simulated. Ctrl-C stops everything.\n`);
  await interrupted;
  await served.close();
}

// The playground needs none, and none must reach a page.
function refuseRealTokens(): void {
  const names = Object.entries(readEnvironment())
    .filter(([, value]) => isRealToken(value ?? ''))
    .map(([name]) => name);
  if (names.length === 0) return;
  throw new OomError('bad-input', `${names.join(', ')} looks like a real Slack token.`, {
    next: `The playground needs no token: unset ${names.join(' ')} and start it again.`,
  });
}

function numberBetween(least: number, most: number): (text: string) => number {
  return (text) => {
    const number = Number(text);
    if (Number.isInteger(number) && number >= least && number <= most) return number;
    throw new InvalidArgumentError(`Type a number from ${least} to ${most}.`);
  };
}

const program = new Command('npm run playground --')
  .description('oombot in a simulated Slack, on a simulated cluster')
  .argument('[scenario]', 'incident to begin with')
  .option(
    '--port <port>',
    `port of the page (default: ${DEFAULT_PORT}, or the next free one)`,
    numberBetween(1, 65_535),
  )
  .option('--speed <factor>', `simulated seconds per second, 1 to ${FASTEST}`, numberBetween(1, FASTEST), 10)
  .option('--socket', 'the bot receives by Socket Mode, not by HTTP with signatures', false)
  .option('--playbooks <folder...>', 'your own playbook folders', [])
  .action(run);

await program.parseAsync().then(
  () => process.exit(0),
  (error: unknown) => {
    const { message, next, cause } = toOomError(error);
    process.stderr.write(`${message}\n${next}\n`);
    if (!(error instanceof OomError)) process.stderr.write(`${String(cause)}\n`);
    process.exit(EXIT_USAGE);
  },
);
