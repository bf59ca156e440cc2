import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse as parseYaml, stringify } from 'yaml';
import { withTranscript } from '../../scripts/readme-transcript.ts';
import { loadConfig } from '../../src/config.ts';
import { ERROR_CODES } from '../../src/model/errors.ts';
import { Bucket } from '../../src/model/taxonomy.ts';
import { bucketWords } from '../../src/report/words/verdict-words.ts';
import { runOom } from '../fakes/terminal.ts';

const ROOT = join(import.meta.dirname, '../..');
const read = (page: string) => readFileSync(join(ROOT, page), 'utf8');
const README = read('README.md');

// Commands that need no cluster, no Slack and nothing made before. All shipped cases are run with the playbooks.
const commands = [...README.matchAll(/^(?:\$ )?npx oom (.*?)(?:\s{2,}#.*)?$/gm)]
  .map((match) => match[1] ?? '')
  .filter((command) =>
    /^(?:diagnose (?:playbooks|--help)|explain playbooks|budget playbooks|playbook (?!test)|config)/.test(command),
  );

describe('the README', () => {
  it.each(commands)('oom %s works as written', async (command) => {
    const words = command.split(' ').flatMap((word) => {
      if (!word.endsWith('/*')) return [word];
      const folder = word.slice(0, -2);
      return readdirSync(join(ROOT, folder))
        .slice(0, 2)
        .map((name) => `${folder}/${name}`);
    });

    const { code, out } = await runOom(words);

    expect(code).toBe(0);
    expect(out).not.toBe('');
  });

  it('shows what its first command prints', () => {
    expect(withTranscript(README) === README, 'run `npm run docs`').toBe(true);
  });

  it.each(Bucket.options)('says what the bucket %s holds as an explanation does', (bucket) => {
    const [, holds = ''] = /\((.*)\)/.exec(bucketWords(bucket)) ?? [];

    expect(README).toContain(`\`${bucket}\` (${holds})`);
  });
});

const PAGES = ['.', 'docs', 'playbooks', 'playbooks/engines'].flatMap((folder) =>
  readdirSync(join(ROOT, folder)).flatMap((name) => (name.endsWith('.md') ? [join(folder, name)] : [])),
);

it.each(PAGES)('%s links only to what is there', (page) => {
  const links = [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((match) => match[1] ?? '');

  expect(links.filter((link) => !existsSync(join(ROOT, dirname(page), link)))).toEqual([]);
});

describe('docs/acting.md', () => {
  const page = read('docs/acting.md');

  it('shows a configuration that is right', () => {
    const [first, second] = [...page.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => parseYaml(match[1] ?? ''));
    const text = stringify({ ...first, acting: { ...first.acting, ...second.acting } });

    expect(loadConfig({ env: {}, file: 'oombot.yaml', readFile: () => text })).toMatchObject({ kind: 'ok' });
  });

  it('names commands that are there', async () => {
    for (const verb of new Set([...page.matchAll(/npx oom ([a-z]+)/g)].map((match) => match[1] ?? '')))
      expect(`${verb} ${(await runOom([verb, '--help'])).code}`).toBe(`${verb} 0`);
  });
});

it('docs/errors.md explains every error code, and no other', () => {
  const explained = [...read('docs/errors.md').matchAll(/^\| `([a-z-]+)`/gm)].map((match) => match[1]);

  expect(explained.toSorted()).toEqual([...ERROR_CODES].toSorted());
});
