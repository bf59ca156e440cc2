import { type Command, Option } from 'commander';
import { stringify } from 'yaml';
import { visible } from '../report/terminal/text-width.ts';
import type { Terminal } from './terminal.ts';

const FORMATS = ['text', 'json', 'yaml'] as const;
export type Format = (typeof FORMATS)[number];

export type FormatOptions = { readonly output: Format; readonly json: boolean };

/** `-o json|yaml|text`, as kubectl has it, and `--json` for short. `what` is one of the things that a line of JSON holds. */
export function addFormatOptions(command: Command, what: string): Command {
  return command
    .addOption(new Option('-o, --output <format>', 'Output format').choices(FORMATS).default('text'))
    .option('--json', `Print one line of JSON per ${what}, same as -o json`, false);
}

export function formatOf({ output, json }: FormatOptions): Format {
  return json ? 'json' : output;
}

/** A value as one line of JSON or as one YAML document. */
export function sayData(terminal: Terminal, format: Exclude<Format, 'text'>, value: unknown): void {
  // What would act on a terminal becomes an escape of JSON, so the value stays.
  if (format === 'json') terminal.out(visible(JSON.stringify(value)));
  // YAML has no undefined.
  else terminal.out(`---\n${stringify(JSON.parse(JSON.stringify(value)), { lineWidth: 0 }).trimEnd()}`);
}
