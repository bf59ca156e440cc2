import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { configurationPage } from '../../scripts/configuration-page.ts';
import { effectiveConfig, loadConfig, readConfig, readEnvironment } from '../../src/config.ts';

function effective(yaml: string): string {
  const outcome = loadConfig({ env: {}, readFile: (path) => (path === 'oombot.yaml' ? yaml : undefined) });
  if (outcome.kind === 'bad') throw new Error(JSON.stringify(outcome.problems));
  return effectiveConfig(outcome.config);
}

describe('the configuration in force', () => {
  it('is printed with its defaults, as YAML that reads back', () => {
    const text = effective('clusters: [{ name: prod, context: eu, namespaces: [llm-*] }]\nlogLevel: warn\n');

    expect(parse(text)).toMatchObject({
      clusters: [{ name: 'prod', context: 'eu', namespaces: ['llm-*'], engineMetrics: { podIP: true } }],
      logLevel: 'warn',
      limits: { calls: 24, logs: 6 },
      defaultChannel: { clusters: ['*'], namespaces: ['*'] },
    });
  });

  it('keeps nothing of any secret', () => {
    const secret = fc
      .string({ minLength: 8, maxLength: 20, unit: fc.constantFrom(...'abcdefGHIJ0189-_') })
      .map((s) => `s3-${s}`);

    fc.assert(
      fc.property(fc.tuple(secret, secret, secret, secret, secret, secret), (secrets) => {
        const [bot, app, signing, bearer, header, password] = secrets.map((s) => JSON.stringify(s));
        const text = effective(`slack: { botToken: ${bot}, appToken: ${app}, signingSecret: ${signing} }
clusters:
  - { name: a, prometheus: { url: 'https://p/x?token=${secrets[0]}', bearerToken: ${bearer}, headers: { X-Key: ${header} } } }
  - { name: b, prometheus: { url: 'http://p', basic: { user: oom, password: ${password} } } }
`);
        for (const one of secrets) expect(text).not.toContain(one);
        expect(parse(text)).toMatchObject({
          slack: { botToken: '***', appToken: '***', signingSecret: '***' },
          clusters: [
            { prometheus: { url: 'https://p/x?***', bearerToken: '***', headers: { 'X-Key': '***' } } },
            { prometheus: { basic: { user: 'oom', password: '***' } } },
          ],
        });
      }),
      { numRuns: 40, seed: 7 },
    );
  });
});

it.each([
  ['postgres://oom:s3cret@db/oom?sslmode=require&password=s3cret', 'postgres://***@db/oom?***'],
  ['postgresql://oom:s3%2Fcret@db:6432/oom', 'postgresql://***@db:6432/oom'],
  ['sqlite:./data/oom.db', 'sqlite:./data/oom.db'],
])('the address of the store: %s is printed as %s', (url, printed) => {
  expect(parse(effective(`store: { url: '${url}' }\n`))).toMatchObject({ store: { url: printed } });
});

describe('the environment of the process', () => {
  it('is read as a copy', () => {
    const environment = readEnvironment();

    expect(environment.PATH).toBe(process.env.PATH);
    expect(environment).not.toBe(process.env);
  });

  it('and files of the disk make a configuration', () => {
    expect(readConfig(join(import.meta.dirname, 'nowhere.yaml'))).toMatchObject({
      kind: 'bad',
      problems: [{ message: 'there is no such file' }],
    });
    expect(readConfig(import.meta.dirname)).toMatchObject({ problems: [{ message: 'cannot be read (EISDIR)' }] });
  });
});

describe('docs/configuration.md', () => {
  it('is the page of the schema', () => {
    const written = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'configuration.md'), 'utf8');

    expect(written === configurationPage(), 'run `node scripts/write-docs.ts`').toBe(true);
  });

  it('says of every key what it is, and its example is a configuration', () => {
    const page = configurationPage();
    const rows = page.split('\n').filter((line) => line.startsWith('| `'));

    const keys = rows.filter((row) => row.split(' | ').length === 4);
    expect(keys.length).toBeGreaterThan(60);
    expect(keys.filter((row) => / \|\s+\|$/.test(row))).toEqual([]);
    const example = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    expect(effective(example)).toContain('llm-*');
  });
});
