import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/commands/program.ts';
import { tablesInForce, useTables } from '../../src/model/reference-tables.ts';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { recordIncidents } from '../contracts/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';
import { recordTerminal, runOom, type Typed } from '../fakes/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-commands-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

let made = 0;
let path: string;
let file: string;
beforeEach(() => {
  made += 1;
  path = join(folder, `${made}.db`);
  file = join(folder, `${made}.yaml`);
  writeFileSync(file, `store: { url: 'sqlite:${path}' }\n`);
});

/** A store with so many incidents; answers the head of its audit. */
async function keep(count: number) {
  const store = await createSqliteStore({ path, clock: createFakeClock(), ids: createFakeIds() });
  await recordIncidents(store, count);
  const head = await store.auditHead();
  await store.close();
  return head;
}

const oom = (...words: string[]): Promise<Typed> => runOom(['--config', file, ...words]);

describe('oom audit verify', () => {
  it('says how many rows there are and what the head is', async () => {
    const { hash } = await keep(3);

    const { code, out } = await oom('audit', 'verify');

    expect({ code, out }).toEqual({ code: 0, out: `intact  3 rows, head ${hash}` });
  });

  it('names the first row that is wrong, and fails', async () => {
    await keep(3);
    const raw = new DatabaseSync(path);
    raw.exec(`drop trigger audit_keeps_rows; update audit set actor = 'U_STRANGER' where seq >= 2`);
    raw.close();

    const { code, out, err } = await oom('audit', 'verify');

    expect(code).toBe(1);
    expect(out).toBe('broken  at row 2: the row was changed');
    expect(err).toContain('Copy the database');
  });

  it('calls a store that is not there no intact one, and makes none', async () => {
    const { code, out, err } = await oom('audit', 'verify');

    expect({ code, out }).toEqual({ code: 3, out: '' });
    expect(err).toContain('nothing was verified');
    expect(existsSync(path)).toBe(false);
  });
});

it('a store that cannot be opened is named, without its password', async () => {
  writeFileSync(path, 'no database at all');
  const ofFile = await oom('status');
  writeFileSync(file, 'store: { url: postgres://bot:secret-word@127.0.0.1:1/oom }\n');
  const ofServer = await oom('status');

  expect(ofFile.err).toContain(`not an SQLite database. (${path})`);
  expect(ofServer.err).toContain('(PostgreSQL at 127.0.0.1:1)');
  expect(ofServer.err).not.toContain('secret-word');
});

it.each([
  [['plan', 'inc_1'], 3],
  [['explain', 'inc_1'], 3],
  [['status'], 0],
  [['changes'], 0],
  [['handover'], 0],
])('a store that is not there is not made by %j', async (words, expected) => {
  const { code } = await oom(...words);

  expect([code, existsSync(path)]).toEqual([expected, false]);
});

it('oom migrate says what was added, once', async () => {
  const first = await oom('migrate');
  const second = await oom('migrate');

  expect([first.code, second.code]).toEqual([0, 0]);
  expect(first.out.split('\n').slice(0, 2)).toEqual([
    'added  1  incidents, their evidence and messages',
    'added  2  audit',
  ]);
  expect(first.out).toContain('added  3  plans and approvals');
  expect(second.out).toBe('up to date');
});

describe('oom status', () => {
  it('names causes as a process of its own, in which nothing has read the playbooks', async () => {
    await keep(1);
    const tables = tablesInForce();
    const { terminal, told } = recordTerminal();
    useTables(undefined as never);

    const code = await buildProgram(terminal).run(['--config', file, 'status']);
    useTables(tables);

    expect({ code, err: told().err }).toEqual({ code: 0, err: '' });
    expect(told().out).toContain('1 open incident');
  });

  it('is by the store where the bot of the configuration cannot be asked, and says so', async () => {
    await keep(1);
    writeFileSync(file, `store: { url: 'sqlite:${path}' }\nacting: { port: 9 }\n`);

    const { code, out, err } = await oom('status');

    expect(code).toBe(0);
    expect(out).toContain('1 open incident');
    expect(err).toMatch(/^oom: .+ Reading the configured store instead\.$/);
  });

  it('is refused where a bot is named that cannot be asked', async () => {
    const token = join(folder, 'token');
    writeFileSync(token, 'eyJ.a.b\n');

    const { code, out } = await oom('status', '--bot', 'http://127.0.0.1:9', '--token-file', token);

    expect({ code, out }).toEqual({ code: 5, out: '' });
  });

  it.each([['--json'], ['-o', 'yaml']])(
    'is refused for %j of a named bot, which answers in text',
    async (...format) => {
      await keep(1);

      const { code, out, err } = await oom('status', '--bot', 'http://127.0.0.1:9', ...format);

      expect({ code, out }).toEqual({ code: 2, out: '' });
      expect(err).toContain('Leave out `--bot` to read the store');
    },
  );

  it('offers the next page, and not the page that it shows', async () => {
    await keep(12);

    const { out } = await oom('status');

    expect(out.split('\n').filter((line) => line.startsWith('→'))).toEqual(['→ oom status 2']);
  });
});
