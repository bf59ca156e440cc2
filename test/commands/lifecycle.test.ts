import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { createSqliteStore } from '../../src/store/create-sqlite-store.ts';
import { recordIncidents } from '../contracts/store.ts';
import { createFakeClock, START } from '../fakes/clock.ts';
import { createFakeIds } from '../fakes/ids.ts';
import { runOom, type Typed } from '../fakes/terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'oom-lifecycle-'));
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

/** A store with so many open incidents; their ids. */
async function keep(count: number): Promise<readonly string[]> {
  const store = await openStore();
  const ids = await recordIncidents(store, count);
  await store.close();
  return ids;
}

const oom = (...words: string[]): Promise<Typed> => runOom(['--config', file, ...words]);
const flat = ({ out }: Typed): string => out.replace(/\s+/g, ' ');

describe('oom ack, resolve, feedback and history', () => {
  it('keep who is on an incident, how it was closed and whether its finding was right', async () => {
    const [id = ''] = await keep(1);

    const taken = await oom('ack');
    const judged = await oom(
      'feedback',
      id,
      'no',
      'not-memory',
      'a',
      'driver',
      'bug',
      'sk-proj-abcdefghijklmnopqrstuvwxyz123456',
    );
    const closed = await oom('resolve', id, 'rolled', 'back');
    const again = await oom('resolve', id);
    const history = await oom('history', 'vllm-server');
    const accuracy = await oom('history', '--accuracy');

    expect([taken, judged, closed, again, history, accuracy].map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
    expect(flat(taken)).toContain("You're on it: ");
    expect(flat(judged)).toContain('was wrong, it was: not memory.');
    expect(flat(closed)).toContain('Resolved: ');
    expect(flat(again)).toMatch(/Already resolved: .* Resolved by \S+: rolled back, /);
    expect(flat(history)).toContain('finding was wrong (not memory)');
    expect(flat(accuracy)).toContain('0 of 1 judged finding right (0%)');
    const store = await openStore();
    const [feedback] = await store.feedback();
    await store.close();
    expect(feedback?.note).toMatch(/^a driver bug \[redacted/);
  });

  it('say which incident where several are open, or the one that was probably meant', async () => {
    const [id = ''] = await keep(4);

    const which = await oom('resolve', 'fixed');
    const near = await oom('ack', `${id}x`);

    expect([which.code, near.code]).toEqual([2, 3]);
    expect(which.err).toContain('Which incident? 4 are open here.');
    expect(which.err).toContain('and 1 more in `oom status`');
    expect(near.err).toContain(`Did you mean \`${id}\`?`);
    expect(near.err).not.toContain('channel');
  });

  it('take the name of a pod or workload for its open incident, and close no other one in its place', async () => {
    await keep(1);

    const other = await oom('resolve', 'llm/embeddings', 'fixed');
    const own = await oom('resolve', 'llm/vllm-server', 'fixed');

    expect([other.code, own.code]).toEqual([3, 0]);
    expect(other.err).toMatch(/No open incident for llm\/embeddings[\s\S]*oom triage llm\/embeddings/);
    expect(flat(own)).toMatch(/Resolved: /);
  });

  it('export an incident as a draft and an archive that diagnose reads, and replace nothing', async () => {
    const [id = ''] = await keep(1);
    const out = join(folder, `export-${id}`);

    const exported = await oom('export', id, '-o', out);
    const read = await oom('diagnose', join(out, 'evidence.tar.gz'), '--json');
    const again = await oom('export', id, '-o', out);

    expect([exported.code, again.code]).toEqual([0, 2]);
    expect(readFileSync(join(out, `post-mortem-${id}.md`), 'utf8')).toMatch(/^# Post-mortem draft: llm\/vllm-server/);
    expect(statSync(join(out, 'evidence.tar.gz')).mode & 0o077).toBe(0);
    expect(JSON.parse(read.out)).toMatchObject({ id: 'evidence' });
    expect(again.err).toContain('exists already');
  });

  it('export an incident whose evidence was deleted, and say so', async () => {
    const [id = ''] = await keep(1);
    const store = await openStore();
    await store.sweep({ snapshotsBefore: START + 1, incidentsBefore: 0 });
    await store.close();
    const out = join(folder, `deleted-${id}`);

    const exported = await oom('export', id, '-o', out);

    expect(flat(exported)).toContain('The evidence was deleted (store.retentionDays); the draft says so.');
    expect(readdirSync(out)).toEqual([`post-mortem-${id}.md`]);
    expect(readFileSync(join(out, `post-mortem-${id}.md`), 'utf8')).toContain(
      'The evidence of this incident was deleted',
    );
  });

  it('show the permanent fix of a folder or an incident, and its patch alone to be piped', async () => {
    const [id = ''] = await keep(1);
    const loading = 'playbooks/oom/incidents/oomkilled-at-load';

    const told = await oom('fix', loading);
    const patch = await oom('fix', loading, '--patch');
    const none = await oom('fix', 'playbooks/oom/incidents/probe-kill', '--patch');
    const kept = await oom('fix');
    const store = await openStore();
    await store.sweep({ snapshotsBefore: START + 1, incidentsBefore: 0 });
    await store.close();
    const deleted = await oom('fix', id);

    expect([told, patch, none, kept, deleted].map(({ code }) => code)).toEqual([0, 0, 3, 0, 0]);
    expect(told.out).toContain('resources.limits.memory 48Gi → 72Gi');
    expect(told.out).toContain(`oom fix ${loading} --patch`);
    expect(parse(patch.out)).toMatchObject({ kind: 'Pod', spec: { containers: [{ name: 'engine' }] } });
    expect([none.out, none.err]).toEqual(['', expect.stringContaining('No patch')]);
    expect(flat(kept)).toContain('Permanent fix: llm/Deployment/vllm-server');
    expect(flat(deleted)).toContain('No patch: the evidence was deleted (store.retentionDays).');
  });

  it('search the history by cause and time', async () => {
    await keep(2);

    const found = await oom('history', '--cause', 'graph', 'capture', '--since', '2020-01-01');
    const none = await oom('history', '--since', '1d');
    const bad = await oom('history', '--since', 'soon');

    expect(flat(found)).toContain('2 incidents with cause “graph capture” since 2020-01-01 00:00:00 UTC.');
    expect(flat(none)).toMatch(/No incidents since \d/);
    expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('--since takes a time, not “soon”')]);
  });

  it('say where nothing is kept, and make no store', async () => {
    const resolved = await oom('resolve', 'inc_1');
    const history = await oom('history');

    expect([resolved.code, history.code]).toEqual([3, 0]);
    expect(flat(history)).toContain('there is no store at');
    expect(flat(history)).toContain('type /oom history in Slack');
    expect(flat(history) + flat(resolved)).not.toContain('--bot');
    expect(existsSync(path)).toBe(false);
  });
});
