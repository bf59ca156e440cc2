import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import type { Errand } from './carry-run.ts';

/** A bot with an errand. */
export type Bot = { readonly process: ChildProcess; readonly exit: Promise<'killed' | number>; kill(): void };

/** A bot that lives on, and takes over what others have left. */
export type Survivor = { takeOver(errand: Errand): Promise<void>; kill(): void };

type Processes = {
  /** `shiftMs`: so much later than the others it lives. */
  bot(errand: Errand, shiftMs: number): Bot;
  survivor(shiftMs: number): Survivor;
  /** The stand-in API server over a world in a file; answers its address. */
  standin(file: string): Promise<{ readonly url: string; kill(): void }>;
};

/** The processes of the kill matrix, each bundled once: hundreds of sources take longer to load than a run takes. */
export async function bundleProcesses(folder: string): Promise<Processes> {
  const [bot, standin] = ['bot.ts', 'api-server.ts'].map((name) => join(import.meta.dirname, name));
  await bundleEntries({ bot: bot ?? '', standin: standin ?? '' }, folder);
  const start = (name: string, args: readonly string[], shiftMs = 0): ChildProcess =>
    spawn(process.execPath, [join(folder, `${name}.mjs`), ...args], {
      stdio: ['pipe', 'pipe', 'pipe'],
      env: { ...process.env, OOM_TEST_SHIFT_MS: String(shiftMs), NODE_COMPILE_CACHE: join(folder, 'compiled') },
    });
  return {
    bot: (errand, shiftMs) => watchBot(start('bot', [JSON.stringify(errand)], shiftMs)),
    survivor: (shiftMs) => instruct(start('bot', [], shiftMs)),
    async standin(file) {
      const child = start('standin', [file]);
      child.stderr?.on('data', (chunk: Buffer) => process.stderr.write(chunk));
      const [line] = (await once(linesOf(child), 'line')) as [string];
      return { url: (JSON.parse(line) as { url: string }).url, kill: () => void child.kill('SIGKILL') };
    },
  };
}

/** Makes a bundle of each of these files. */
export async function bundleEntries(entryPoints: Readonly<Record<string, string>>, outdir: string): Promise<void> {
  await build({
    entryPoints,
    outdir,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    // What only one of the stores needs is not loaded for the other.
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    // CommonJS libraries in an ES module bundle still call require().
    banner: {
      js: "import { createRequire as oomRequire } from 'node:module'; const require = oomRequire(import.meta.url);",
    },
    logLevel: 'warning',
  });
}

function watchBot(child: ChildProcess): Bot {
  const complaint = complaintOf(child);
  child.stdout?.resume();
  const exit = once(child, 'exit').then(([code, signal]: (number | string | null)[]) => {
    if (signal === 'SIGKILL') return 'killed' as const;
    if (code !== 0) throw new Error(`the bot ended with ${code}: ${complaint()}`);
    return 0;
  });
  // Whoever does not wait for it is not to be told.
  exit.catch(() => undefined);
  return { process: child, exit, kill: () => void child.kill('SIGKILL') };
}

function instruct(child: ChildProcess): Survivor {
  const complaint = complaintOf(child);
  const waiting = new Map<string, PromiseWithResolvers<void>>();
  linesOf(child).on('line', (line) => {
    const { runId, fault } = JSON.parse(line) as { runId: string; fault: string | null };
    if (fault === null) waiting.get(runId)?.resolve();
    else waiting.get(runId)?.reject(new Error(`the survivor says: ${fault}\n${complaint()}`));
  });
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`the survivor is gone: ${complaint()}`));
  });
  return {
    takeOver(errand) {
      const asked = Promise.withResolvers<void>();
      waiting.set(errand.runId, asked);
      child.stdin?.write(`${JSON.stringify(errand)}\n`);
      return asked.promise;
    },
    kill: () => void child.kill('SIGKILL'),
  };
}

function linesOf({ stdout }: ChildProcess) {
  if (stdout === null) throw new Error('a process without output');
  return createInterface({ input: stdout });
}

function complaintOf(child: ChildProcess): () => string {
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    complaint += chunk;
  });
  return () => complaint;
}
