import { z } from 'zod';
import { Words } from './table-words.ts';

/** Names separated by blanks. */
const Names = z.string().min(1).optional();

/** engines/<engine>/command-line.yaml: what a command line looks like. From which version on and until which there is a flag stands in flags*.yaml alone. */
export const CommandLineFile = z.strictObject({
  /** Commands that are the engine: an executable with its subcommands, or what Python runs. */
  commands: z.array(Words).min(1).optional(),
  /** Images whose ENTRYPOINT is the engine itself, so that `args` alone are its arguments; a mirror keeps the end of the name. */
  'entrypoint-images': z.array(Words).min(1).optional(),
  /** How a new flag with a value is written. */
  joint: z.enum(['=', ' ']),
  /** Whether a later occurrence wins; where not, a second one is an error. */
  'last-wins': z.boolean(),
  /** Whether an unambiguous beginning of a flag is understood (Python's argparse). */
  abbreviates: z.boolean(),
  /** The variable that sets the same as a flag, where the command line does not. */
  variables: z.union([z.literal('upper-case'), z.record(Words, Words)]).optional(),
  /** Whether the command is not to be touched, and variables are. */
  'prefers-variables': z.literal(true).optional(),
  /** A variable whose words follow the engine's own arguments. */
  'argument-variable': Words.optional(),
  /** The engine inside of this server. */
  serves: Words.optional(),
  /** Flags that take one value; the first spelling of a group `a=b=c` is the one that is written. */
  values: Names,
  /** Flags that take any number of values. */
  lists: Names,
  /** Switches with a form that turns them off (`--no-x`). */
  negatable: Names,
  /** Switches that can only be left out. */
  switches: Names,
});
export type CommandLineFile = z.infer<typeof CommandLineFile>;
