import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { versionsPage } from '../../scripts/versions-page.ts';
import { tablesInForce } from '../../src/model/reference-tables.ts';

describe('the page of versions', () => {
  const page = versionsPage();

  it('is the one that the tables make', () => {
    const written = readFileSync(join(import.meta.dirname, '../../docs/versions.md'), 'utf8');

    expect(written === page, 'run `node scripts/write-docs.ts`').toBe(true);
  });

  it('has every flag, and rows of as many cells as the heads have', () => {
    for (const { flag } of tablesInForce().flags) expect(page).toContain(`\`${flag}\``);
    const rows = page.split('\n').filter((line) => line.startsWith('|'));

    expect(new Set(rows.map((line) => line.split(/(?<!\\)\|/).length))).toEqual(new Set([6, 7]));
  });

  it.each([
    ['| `--swap-space`', '| to 0.17 |'],
    ['| `--kv-cache-memory-bytes`', '| from 0.10.2 |'],
    ['the second engine (V1)', 'from 0.8: unless turned off; from 0.11: always'],
  ])('says of %s: %s', (what, versions) => {
    expect(page.split('\n').find((line) => line.includes(what))).toContain(versions);
  });
});
