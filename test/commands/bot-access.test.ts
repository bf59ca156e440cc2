import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { botAddress, botToken } from '../../src/commands/bot-access.ts';
import { type Config, loadConfig } from '../../src/config.ts';
import { temporaryFolder } from '../fakes/temporary-folder.ts';
import { runOom } from '../fakes/terminal.ts';

function aConfig(text = 'clusters: [{ name: prod, kubeconfig: /k/nosuch }]'): Config {
  const outcome = loadConfig({ env: {}, file: 'oombot.yaml', readFile: () => text });
  if (outcome.kind === 'bad') throw new Error(JSON.stringify(outcome.problems));
  return outcome.config;
}

function aFile(text: string): string {
  const file = join(temporaryFolder(), 'token');
  writeFileSync(file, text);
  return file;
}

describe('where the bot is reached', () => {
  it.each([
    ['nothing typed, nothing configured', undefined, undefined, undefined],
    ['nothing typed, a port configured', undefined, 8787, 'http://127.0.0.1:8787'],
    ['an address wins', 'https://oombot.example.org', 8787, 'https://oombot.example.org'],
    ['host and port, as kubectl prints them', 'localhost:8787', undefined, 'http://localhost:8787'],
    ['the same with an IP', '127.0.0.1:8787', undefined, 'http://127.0.0.1:8787'],
  ])('%s', (_name, given, port, url) => {
    expect(botAddress(given, port)).toBe(url);
  });

  it.each([
    ['no value', true, '`--bot` needs a URL.'],
    ['a word', 'nonsense', '“nonsense” is not a URL.'],
    ['another scheme', 'ftp://127.0.0.1', '“ftp://127.0.0.1” is not a URL.'],
  ] as const)('%s is told, with an example', (_name, given, message) => {
    expect(() => botAddress(given, 8787)).toThrow(
      expect.objectContaining({ code: 'bad-input', message, next: expect.stringContaining('--bot http://127') }),
    );
  });
});

describe('the token that is shown to the bot', () => {
  it('is that of the file, without its line feed', async () => {
    expect(await botToken(aConfig(), aFile('eyJ.a.b\n'))).toBe('eyJ.a.b');
  });

  it.each([
    ['is empty', () => aFile('\n'), /token is empty/],
    ['is no token', () => aFile('apiVersion: v1\nkind: Config\n'), /has more than one token/],
    ['was copied with an ellipsis', () => aFile('abc…def\n'), /has a character that no token has/],
    ['is not there', () => '/k/nosuch', /Cannot read \/k\/nosuch/],
    ['is not named', () => true as const, /`--token-file` needs a file/],
  ])('that %s is told before the bot is asked', async (_name, file, message) => {
    await expect(botToken(aConfig(), file())).rejects.toMatchObject({
      code: 'bad-input',
      message: expect.stringMatching(message),
      next: expect.stringContaining('kubectl create token'),
    });
  });

  it('is asked for where no kubeconfig gives one, and not a cluster', async () => {
    await expect(botToken(aConfig(), undefined)).rejects.toMatchObject({
      code: 'not-allowed',
      message: expect.stringMatching(/^The bot needs a token to know who you are\..*\/k\/nosuch does not exist/),
      next: expect.stringContaining('--token-file'),
    });
  });
});

it.each([[['approve', 'plan_1', '--bot']], [['status', '--bot']]])(
  '--bot without its address: %j is told as that',
  async (words) => {
    const { code, err } = await runOom(words);

    expect(code).toBe(2);
    expect(err).toContain('`--bot` needs a URL.');
  },
);
