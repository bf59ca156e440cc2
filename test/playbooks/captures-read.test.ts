import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PHRASES } from './shipped.ts';

const FACTS = join(import.meta.dirname, '../../src/facts');
const GROUP = /\(\?<(\w+)>/g;

describe('a figure that a context line captures', () => {
  it('is read by name somewhere', () => {
    const source = readdirSync(FACTS, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts'))
      .map((name) => readFileSync(join(FACTS, name), 'utf8'))
      .join('\n');
    const isRead = (name: string) =>
      new RegExp(`captures\\.${name}\\b|'${name}'|\\{[^{}]*\\b${name}\\b[^{}]*\\} = [\\w.]*captures`).test(source);

    const unread = PHRASES.filter(({ weight }) => weight === 'context').flatMap(({ id, pattern = '' }) =>
      [...pattern.matchAll(GROUP)].flatMap(([, name = '']) => (isRead(name) ? [] : [`${id}: ${name}`])),
    );

    expect(unread).toEqual([]);
  });
});
