import { spawnSync } from 'node:child_process';

export type PagerSettings = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly isTerminal: boolean;
  readonly rows: number | undefined;
};

/** The command that shows a text page by page, as git chooses it; undefined where the text goes out as it is. */
export function pagerFor(text: string, { env, isTerminal, rows }: PagerSettings): string | undefined {
  if (!isTerminal || rows === undefined || text.split('\n').length < rows) return undefined;
  const command = (env.OOM_PAGER ?? env.PAGER ?? 'less').trim();
  return command === '' || command === 'cat' ? undefined : command;
}

/** Shows a text through a pager. False if there is no such program; leaving it early is fine. */
export function showPaged(text: string, command: string, env: PagerSettings['env']): boolean {
  const { status, error } = spawnSync(command, {
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    shell: true,
    // As git sets it: one screen goes out at once, colors stay, and the text is left on the screen.
    env: { ...env, LESS: env.LESS ?? 'FRX', LV: env.LV ?? '-c' },
  });
  const isGone = error !== undefined && 'code' in error && error.code === 'EPIPE';
  return (error === undefined || isGone) && status !== NOT_FOUND;
}

// What a shell answers for a command that is not there.
const NOT_FOUND = 127;
