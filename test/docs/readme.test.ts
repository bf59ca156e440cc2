import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bucket } from '../../src/model/taxonomy.ts';
import { bucketWords } from '../../src/report/bucket-words.ts';
import { runOom, type Typed } from '../fakes/terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

// Commands that need no cluster, no Slack and nothing made before.
const commands = [...README.matchAll(/^(?:\$ )?npx oom (.*?)(?:\s{2,}#.*)?$/gm)]
  .map((match) => match[1] ?? '')
  .filter((command) =>
    /^(?:diagnose (?:playbooks|--help)|explain playbooks|budget playbooks|playbook|config)/.test(command),
  );

async function run(command: string): Promise<Typed> {
  const words = command.split(' ').flatMap((word) => {
    if (!word.endsWith('/*')) return [word];
    const folder = word.slice(0, -2);
    return readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
  });
  return runOom(words);
}

describe('the README', () => {
  it('shows commands to check', () => {
    expect(commands.length).toBeGreaterThan(7);
  });

  it.each(commands)('oom %s works as written', async (command) => {
    const { code, out } = await run(command);

    expect(code).toBe(0);
    expect(out).not.toBe('');
  });

  it('shows the answer that comes', async () => {
    const [, command = '', shown = ''] = /\$ npx oom (diagnose .*)\n(\{.*), \.\.\.\}/.exec(README) ?? [];

    const { out } = await run(command);

    expect(out.startsWith(shown)).toBe(true);
  });

  it.each(Bucket.options)('says what the bucket %s holds as an explanation does', (bucket) => {
    const [, holds = ''] = /\((.*)\)/.exec(bucketWords(bucket)) ?? [];

    expect(README).toContain(`\`${bucket}\` (${holds})`);
  });

  it('links only to what is there', () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map((match) => match[1] ?? '');

    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
  });
});
