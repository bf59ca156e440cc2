import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml, stringify } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { runOom } from '../fakes/terminal.ts';

const DOCS = join(import.meta.dirname, '../../docs');
const PAGE = readFileSync(join(DOCS, 'acting.md'), 'utf8');

describe('docs/acting.md', () => {
  it('shows a configuration that is right', () => {
    const blocks = [...PAGE.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => parseYaml(match[1] ?? ''));
    const [first, second] = blocks;
    const text = stringify({ ...first, acting: { ...first.acting, ...second.acting } });

    const outcome = loadConfig({ env: {}, file: 'oombot.yaml', readFile: () => text });

    expect(outcome).toMatchObject({ kind: 'ok' });
    expect(blocks).toHaveLength(3);
  });

  it('names commands that are there', async () => {
    const verbs = new Set([...PAGE.matchAll(/npx oom ([a-z]+)/g)].map((match) => match[1] ?? ''));

    for (const verb of verbs) {
      const { code } = await runOom([verb, '--help']);
      expect(`${verb} ${code}`).toBe(`${verb} 0`);
    }
    expect(verbs.size).toBeGreaterThan(1);
  });

  it('links only to what is there', () => {
    const links = [...PAGE.matchAll(/\]\((?!https?:)([^)]+)\)/g)].map((match) => match[1] ?? '');

    expect(links.filter((link) => !existsSync(join(DOCS, link)))).toEqual([]);
  });
});
