import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { buildProgram } from '../../src/commands/program.ts';
import type { Terminal } from '../../src/commands/terminal.ts';
import { PLAIN } from '../../src/playbook/explain.ts';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { aFinding, recordIncidents } from '../contracts/store.ts';
import { createFakeClock } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';

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

const openStore = () => createSqliteStore({ path, clock: createFakeClock(), ids: createFakeIds() });

async function oom(...words: string[]): Promise<{ code: number; out: string[]; err: string[] }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal: Terminal = {
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
    progress: () => undefined,
    width: 100,
    paint: PLAIN,
    unicode: true,
  };
  return { code: await buildProgram(terminal).run(['--config', file, ...words]), out, err };
}

describe('oom audit verify', () => {
  it('says how many rows there are and what the head is', async () => {
    const store = await openStore();
    await recordIncidents(store, 3);
    const { hash } = await store.auditHead();
    await store.close();

    const { code, out } = await oom('audit', 'verify');

    expect({ code, out }).toEqual({ code: 0, out: [`intact  3 rows, head ${hash}`] });
  });

  it('names the first row that is wrong, and fails', async () => {
    const store = await openStore();
    await recordIncidents(store, 3);
    await store.close();
    const raw = new DatabaseSync(path);
    raw.exec(`drop trigger audit_keeps_rows; update audit set actor = 'U_STRANGER' where seq >= 2`);
    raw.close();

    const { code, out, err } = await oom('audit', 'verify');

    expect(code).toBe(1);
    expect(out).toEqual(['broken  at row 2: the row was changed']);
    expect(err.join('\n')).toContain('Keep a copy');
  });

  it('goes on beside a bot that serves', async () => {
    const store = await openStore();
    await store.recordFinding(aFinding());

    expect(await oom('audit', 'verify')).toMatchObject({ code: 0, out: [expect.stringContaining('1 row,')] });
    await store.close();
  });
});

describe('oom migrate', () => {
  it('says what was added, once', async () => {
    const first = await oom('migrate');
    const second = await oom('migrate');

    expect([first.code, second.code]).toEqual([0, 0]);
    expect(first.out.slice(0, 2)).toEqual(['added  1  incidents, their evidence and messages', 'added  2  audit']);
    expect(first.out).toContain('added  3  plans and approvals');
    expect(second.out).toEqual(['up to date: nothing to add']);
  });
});
