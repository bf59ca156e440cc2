import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { loadKnowledge } from '../src/wire/knowledge.ts';
import { compareFlags, readHelp } from './flag-differences.ts';

// npm run flags -- vllm|sglang|llama.cpp [--version 0.32.0] [help.txt]: what `--help` of the engine on this machine, or a
// saved one, has that our tables do not, and the other way round. Ends with 1 where there is a difference.
const HELP: Readonly<Record<string, readonly [string, ...string[]]>> = {
  vllm: ['vllm', 'serve', '--help=all'],
  sglang: ['python3', '-m', 'sglang.launch_server', '--help'],
  'llama.cpp': ['llama-server', '--help'],
};
const { values, positionals } = parseArgs({ allowPositionals: true, options: { version: { type: 'string' } } });
const [engine = '', file] = positionals;
const command = HELP[engine];
if (command === undefined) throw new Error(`Name an engine: ${Object.keys(HELP).join(', ')}.`);
const [program, ...words] = command;
const text = file === undefined ? execFileSync(program, words, { encoding: 'utf8' }) : readFileSync(file, 'utf8');

// Puts the tables in force.
await loadKnowledge(['playbooks']);
const { unknown, gone, defaults } = compareFlags(engine, values.version, readHelp(text));
for (const flag of gone) console.log(`gone     ${flag}`);
for (const { flag, ours, theirs } of defaults) console.log(`default  ${flag}: ${theirs}, our tables say ${ours}`);
for (const flag of unknown) console.log(`unknown  ${flag}`);
process.exitCode = unknown.length + gone.length + defaults.length > 0 ? 1 : 0;
