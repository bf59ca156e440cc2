import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
const text = (path: string) => readFileSync(join(ROOT, path), 'utf8');

it('the image is built with all that the build reads', () => {
  const [, build = ''] = text('Dockerfile').split(/^FROM /m);
  const copied = [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap((match) => (match[1] ?? '').split(' '));
  const imported = [...text('scripts/build.ts').matchAll(/from '\.\.\/([^/']+)/g)].map((match) => match[1]);

  expect(imported).toContain('bin');
  expect(copied).toEqual(expect.arrayContaining(imported));
  expect(copied).toEqual(expect.arrayContaining(['package.json', 'package-lock.json', 'scripts', 'playbooks']));
});
