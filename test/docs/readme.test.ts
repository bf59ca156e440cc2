import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/commands/program.ts';
import { PLAIN } from '../../src/playbook/explain.ts';

const ROOT = join(import.meta.dirname, '../..');
const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

// Commands that need no cluster, no Slack and nothing made before.
const commands = [...README.matchAll(/^(?:\$ )?npx oom (.*?)(?:\s{2,}#.*)?$/gm)]
  .map((match) => match[1] ?? '')
  .filter((command) => /^(?:diagnose (?:playbooks|--help)|explain playbooks|playbook|config)/.test(command));

async function run(command: string): Promise<{ code: number; out: string }> {
  const out: string[] = [];
  const words = command.split(' ').flatMap((word) => {
    if (!word.endsWith('/*')) return [word];
    const folder = word.slice(0, -2);
    return readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}`);
  });
  const terminal = { out: (text: string) => void out.push(text), err: () => undefined, progress: () => undefined };
  const code = await buildProgram({ ...terminal, width: 100, paint: PLAIN, unicode: true }).run(words);
  return { code, out: out.join('\n') };
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

  it('links only to what is there', () => {
    const links = [...README.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map((match) => match[1] ?? '');

    expect(links.filter((link) => !existsSync(join(ROOT, link)))).toEqual([]);
  });
});
