import { enableCompileCache } from 'node:module';
import { buildProgram } from './commands/program.ts';
import { systemTerminal } from './commands/terminal.ts';
import { readEnvironment } from './config.ts';
import { exitSoon } from './system/exit-deadline.ts';

// What a command loads later is compiled once per version, not at each start. Where there is no place to write, nothing happens.
enableCompileCache();

const terminal = systemTerminal(readEnvironment());
process.exitCode = await buildProgram(terminal).run(process.argv.slice(2));
exitSoon();
