import { buildProgram } from '../../src/commands/program.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { PLAIN } from '../../src/playbook/explain.ts';
import { loadOnce } from './knowledge.ts';

export type Typed = { readonly code: number; readonly out: string; readonly err: string };

/** A terminal that keeps what it is told. */
export function recordTerminal(typed: readonly Uint8Array[] = []): {
  terminal: Terminal;
  told: () => Omit<Typed, 'code'>;
} {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    flush: () => undefined,
    err: (text) => void err.push(text),
    progress: () => undefined,
    width: 100,
    tableWidth: 100,
    command: 'oom',
    paint: PLAIN,
    unicode: true,
    stdin: async function* () {
      yield* typed;
    },
  };
  return { terminal, told: () => ({ out: out.join('\n'), err: err.join('\n') }) };
}

/** Runs `oom` with these words, in this process; `typed` comes on standard input. */
export async function runOom(words: readonly string[], ...typed: readonly (string | Uint8Array)[]): Promise<Typed> {
  const { terminal, told } = recordTerminal(typed.map((part) => Buffer.from(part)));
  return { code: await buildProgram(terminal, loadOnce).run([...words]), ...told() };
}
