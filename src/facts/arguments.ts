import type { Cited, EngineArgument } from '../model/engine-reader.ts';
import type { LogReading } from '../model/log-reading.ts';

export type ArgumentSources = {
  readonly commandWords?: readonly Cited<string>[];
  readonly argsText?: string;
  readonly log?: LogReading;
};

/** All engine arguments that the sources show, in order of rising precedence: log dump, args.txt, the pod's own words. */
export function readArguments(_sources: ArgumentSources): EngineArgument[] {
  return [];
}

/** The value in force: the last occurrence, `_` and `-` alike, `--no-x` read as `--x false`; undefined where not set. */
export function effectiveArgument(_args: readonly EngineArgument[], _flag: string): EngineArgument | undefined {
  return undefined;
}

/** `8192`, `8k` (8000), `8K` (8192), `25.6k` -> number; undefined for anything else. */
export function parseCount(_text: string | null): number | undefined {
  return undefined;
}

/** `0.9` -> 0.9; undefined for anything that is no number from 0 to 1. */
export function parseShare(_text: string | null): number | undefined {
  return undefined;
}

/** `true`, `1`, `on`, bare switch (null) -> true; `false`, `0`, `off` -> false; else undefined. */
export function parseSwitch(_text: string | null): boolean | undefined {
  return undefined;
}
