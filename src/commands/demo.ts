import type { Command } from 'commander';
import { OomError } from '../model/errors.ts';
import { asTyped } from '../report/terminal/typed-command.ts';
import type { CommandContext } from './context.ts';
import { EXIT, type Terminal } from './terminal.ts';

type Options = { readonly list: boolean; readonly port?: string };

const EXAMPLES = `
Examples:
  oom demo                start the first scenario
  oom demo --list         list the scenarios
  oom demo vllm-kv-room   start this one`;

/** `oom demo [scenario]`: a simulated cluster on loopback, until Ctrl-C. */
export function addDemoCommand(program: Command, { terminal, exit }: CommandContext): void {
  program
    .command('demo')
    .description('Start a simulated cluster with an incident to try')
    .argument('[scenario]', 'Scenario (default: the first of the list)')
    .option('--list', 'List the scenarios', false)
    .option('--port <port>', 'Port of the API server (default: a free one)')
    .addHelpText('after', EXAMPLES)
    .action(async (name: string | undefined, options: Options) => exit(await runDemo(terminal, name, options)));
}

async function runDemo(terminal: Terminal, name: string | undefined, { list, port }: Options): Promise<number> {
  // Its bundle is apart from this one.
  const { listScenarios, startDemo } = await import('../playground/demo.ts');
  if (list) {
    const rows = listScenarios();
    const width = Math.max(...rows.map((row) => row.name.length));
    for (const row of rows) terminal.out(`${row.name.padEnd(width)}  ${row.says}`);
    return EXIT.ok;
  }
  const news: string[] = [];
  let say = (line: string): void => void news.push(line);
  const demo = await startDemo(name, { port: portOf(port), news: (line) => say(line) });
  if (demo.kind === 'refused') throw new OomError('bad-input', demo.says, { next: demo.next });
  const { paint } = terminal;
  terminal.out(
    asTyped(
      [
        demo.says,
        '',
        'In another terminal:',
        `  export KUBECONFIG=${demo.kubeconfig} OOM_PROMETHEUS_URL=${demo.prometheus}`,
        '  kubectl get pods -w',
        `  oom triage ${demo.workload}`,
        `  oom plan ${demo.workload}`,
        '',
        `API server ${demo.cluster}, Prometheus ${demo.prometheus}, both simulated. Ctrl-C stops them.`,
      ].join('\n'),
      terminal.command,
    ),
  );
  terminal.flush(false);
  say = (line) => terminal.err(paint.dim(line));
  await interrupted();
  await demo.close();
  return EXIT.ok;
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
  throw new OomError('bad-input', `\`${text.slice(0, 20)}\` is not a port.`, {
    next: 'Type a number from 1 to 65535.',
  });
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve());
  });
}
