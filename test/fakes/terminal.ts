import { buildProgram } from '../../src/commands/program.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { PLAIN } from '../../src/playbook/explain.ts';
import { type Knowledge, loadKnowledge } from '../../src/wire/knowledge.ts';

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
    paint: PLAIN,
    unicode: true,
    stdin: async function* () {
      yield* typed;
    },
  };
  return { terminal, told: () => ({ out: out.join('\n'), err: err.join('\n') }) };
}

const read = new Map<string, Promise<Knowledge>>();

// To read the shipped playbooks takes a second, which every command would take again.
function loadOnce(dirs: readonly string[]): Promise<Knowledge> {
  if (dirs.length > 1) return loadKnowledge(dirs);
  const key = dirs.join();
  const knowledge = read.get(key) ?? loadKnowledge(dirs);
  read.set(key, knowledge);
  return knowledge;
}

/** Runs `oom` with these words, in this process; `typed` comes on standard input. */
export async function runOom(words: readonly string[], ...typed: readonly (string | Uint8Array)[]): Promise<Typed> {
  const { terminal, told } = recordTerminal(typed.map((part) => Buffer.from(part)));
  return { code: await buildProgram(terminal, loadOnce).run([...words]), ...told() };
}
