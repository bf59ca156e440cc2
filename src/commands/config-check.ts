import { type ConfigOutcome, effectiveConfig } from '../config.ts';
import { EXIT, type Terminal } from './terminal.ts';

/** `oom config check`: all that is wrong at once, or the configuration in force with secrets masked. */
export function configCheckCommand(terminal: Terminal, outcome: ConfigOutcome): number {
  if (outcome.kind === 'bad') {
    for (const { where, key, message } of outcome.problems)
      terminal.err(
        [where, key === '' ? key : terminal.paint.bold(key), message].filter((part) => part !== '').join('  '),
      );
    terminal.err(
      `${outcome.problems.length} ${outcome.problems.length === 1 ? 'problem' : 'problems'} in the configuration.`,
    );
    return EXIT.usage;
  }
  terminal.err(
    terminal.paint.dim(`# from ${outcome.sources.length === 0 ? 'defaults alone' : outcome.sources.join(', ')}`),
  );
  terminal.out(effectiveConfig(outcome.config));
  return EXIT.ok;
}
