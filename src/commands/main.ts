import { readEnvironment } from '../config.ts';
import { exitSoon } from '../system/exit-deadline.ts';
import { buildProgram } from './program.ts';
import { systemTerminal } from './terminal.ts';

export async function main(): Promise<void> {
  const terminal = systemTerminal(readEnvironment());
  process.exitCode = await buildProgram(terminal).run(process.argv.slice(2));
  exitSoon();
}
