import { buildProgram } from './commands/program.ts';
import { systemTerminal } from './commands/terminal.ts';
import { readEnvironment } from './config.ts';

const terminal = systemTerminal(readEnvironment());
process.exitCode = await buildProgram(terminal).run(process.argv.slice(2));
