import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { runOom } from '../fakes/terminal.ts';

const root = mkdtempSync(join(tmpdir(), 'oom-strange-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const LOG = 'ERROR torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.\n';

function aFolder(name: string, files: Readonly<Record<string, string | Uint8Array>>): string {
  const folder = join(root, name);
  mkdirSync(folder, { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
  return folder;
}

const picture = Uint8Array.from({ length: 2048 }, (_, i) => (i * 151 + 7) % 256);

describe('a folder that cannot be judged as it is', () => {
  const JSON_WRONG = /pod\.json is not valid JSON/;
  const YAML_WRONG = /pod\.yaml is not valid YAML/;
  const FORM_WRONG = /series\.json is not in the format of `oom collect` \(\/unknown/;
  const SERIES = '{"from":0,"to":1,"stepMs":1,"series":[]}';
  it.each<[string, Readonly<Record<string, string | Uint8Array>>, RegExp]>([
    ['a status that is no JSON', { 'previous.log': LOG, 'pod.json': '{"kind":' }, JSON_WRONG],
    ['a status that is no YAML', { 'previous.log': LOG, 'pod.yaml': 'kind: [' }, YAML_WRONG],
    [
      'several pods in place of one',
      { 'pod.json': '{"kind":"List","items":[{},{}]}' },
      /pod\.json is a list: keep only the object/,
    ],
    ['series in a form of their own', { 'previous.log': LOG, 'series.json': SERIES }, FORM_WRONG],
    ['a picture in place of a log', { 'previous.log': picture }, /previous\.log is not text/],
    ['a log of no bytes', { 'previous.log': '' }, /previous\.log is empty/],
  ])('%s is told, and the verdict given all the same', async (name, files, remark) => {
    const { code, out, err } = await runOom(['diagnose', aFolder(name, files), '--json']);

    expect(code).toBe(0);
    expect(JSON.parse(out)).toHaveProperty('plane');
    expect(err).toMatch(remark);
  });

  it.each([['explain'], ['budget']])('of several incidents is refused by %s, which takes one', async (word) => {
    aFolder('parent/first', { 'previous.log': LOG });
    aFolder('parent/second', { 'previous.log': LOG });

    const { code, out, err } = await runOom([word, join(root, 'parent')]);

    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain('evidence of 2 pods or incidents (first, second');
  });

  it('lists all that is not ruled out where explain is asked for it, as its help says', async () => {
    const folder = aFolder('open', { 'previous.log': 'the engine ended\n' });

    const [short, all, help] = [
      await runOom(['explain', folder]),
      await runOom(['explain', folder, '--all']),
      await runOom(['explain', '--help']),
    ];

    expect(short.out).toMatch(/\d+ more: explain --all/);
    expect(all.out).not.toMatch(/\d+ more: explain/);
    expect(all.out.length).toBeGreaterThan(short.out.length);
    expect(help.out).toContain('--all');
  });

  it.each([
    ['colours and a few broken bytes', { 'previous.log': `\u001b[31m${LOG}\u001b[0m\u0007 \ufffd ${LOG}` }],
    ['zeros before a log that was cut', { 'previous.log': `${'\0'.repeat(6000)}${LOG}` }],
    ['an empty file', { 'previous.log': LOG, 'events.json': '' }],
  ])('%s are no remark', async (name, files) => {
    const { err } = await runOom(['diagnose', aFolder(name, files), '--json']);

    expect(err).toBe('');
  });
});
