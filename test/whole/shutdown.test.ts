import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { aWorld } from '../../src/standins/api-server/objects/world.ts';
import { setStage } from './stage.ts';

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url));
// The client of Slack waits 30 s for the word of a server that has gone.
const HANGS_MS = 20_000;

it('a bot that is told to stop while Slack goes away ends all the same', async () => {
  const stage = await setStage(aWorld({}));
  const bot = spawn(process.execPath, [CLI, 'serve', '--config', stage.file], { stdio: ['ignore', 'ignore', 'pipe'] });
  try {
    const [first] = await once(createInterface({ input: bot.stderr }), 'line');
    expect(first).toContain('oombot is running');
    const ended = once(bot, 'exit', { signal: AbortSignal.timeout(HANGS_MS) });

    bot.kill('SIGTERM');
    await stage.slack.close();

    expect(await ended).toEqual([0, null]);
  } finally {
    bot.kill('SIGKILL');
    await stage.close();
  }
});
