import { buildProgram } from '../../src/commands/program.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { PLAIN } from '../../src/playbook/explain.ts';

export type Typed = { readonly code: number; readonly out: string; readonly err: string };

/** A terminal that keeps what it is told. */
export function recordTerminal(): { terminal: Terminal; told: () => Omit<Typed, 'code'> } {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    progress: () => undefined,
    width: 100,
    paint: PLAIN,
    unicode: true,
  };
  return { terminal, told: () => ({ out: out.join('\n'), err: err.join('\n') }) };
}

/** Runs `oom` with these words, in this process. */
export async function runOom(words: readonly string[]): Promise<Typed> {
  const { terminal, told } = recordTerminal();
  return { code: await buildProgram(terminal).run([...words]), ...told() };
}
