import { once } from 'node:events';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readPlaybookFiles, watchPlaybookFiles } from '../../src/folder/playbook-files.ts';
import { createFakeClock } from '../fakes/clock.ts';

let place: string;
let shipped: string;
let own: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'oom-playbooks-'));
  shipped = join(place, 'shipped');
  own = join(place, 'own');
  await mkdir(join(shipped, 'oom/findings'), { recursive: true });
  await mkdir(join(shipped, 'platform'));
  await mkdir(own);
  await writeFile(join(shipped, 'platform/cuda.yaml'), 'signatures');
  await writeFile(join(shipped, 'README.md'), 'no playbook');
  await writeFile(join(shipped, 'oom/playbook.yaml'), 'shipped');
  await writeFile(join(shipped, 'oom/findings/gpu.yml'), 'findings');
});
afterEach(() => rm(place, { recursive: true, force: true }));

describe('reading playbook folders', () => {
  it('gives every YAML file with its folder, folders in their order', async () => {
    await mkdir(join(own, 'oom'));
    await writeFile(join(own, 'oom/playbook.yaml'), 'own');

    expect(await readPlaybookFiles([shipped, own])).toEqual([
      { root: shipped, path: 'oom/findings/gpu.yml', text: 'findings' },
      { root: shipped, path: 'oom/playbook.yaml', text: 'shipped' },
      { root: shipped, path: 'platform/cuda.yaml', text: 'signatures' },
      { root: own, path: 'oom/playbook.yaml', text: 'own' },
    ]);
  });

  it.each([
    ['one level too deep', 'playbook.yaml'],
    ['under a name that nobody reads', 'rules.yaml'],
  ])('refuses a folder whose files lie %s', async (_, name) => {
    await writeFile(join(own, name), 'own');

    await expect(readPlaybookFiles([shipped, own])).rejects.toMatchObject({
      code: 'bad-playbook',
      message: `${own} has no playbook; ${name} is in no known place.`,
    });
  });

  it('takes an empty folder, and files of others beside a playbook', async () => {
    expect(await readPlaybookFiles([own])).toEqual([]);

    await writeFile(join(own, 'kustomization.yaml'), 'resources: []');
    await mkdir(join(own, 'oom'));
    await writeFile(join(own, 'oom/thresholds.yaml'), 'own');

    expect(await readPlaybookFiles([own])).toHaveLength(2);
  });

  it('reads a mounted ConfigMap once, through its links', async () => {
    await mkdir(join(own, '..2026/oom'), { recursive: true });
    await writeFile(join(own, '..2026/oom/playbook.yaml'), 'mounted');
    await symlink('..2026', join(own, '..data'));
    await symlink('..data/oom', join(own, 'oom'));

    expect(await readPlaybookFiles([own])).toEqual([{ root: own, path: 'oom/playbook.yaml', text: 'mounted' }]);
  });

  it('comes to an end in a folder that holds a link to itself', async () => {
    await symlink(own, join(own, 'again'));
    await mkdir(join(own, 'oom'));
    await writeFile(join(own, 'oom/thresholds.yaml'), 'a');

    expect((await readPlaybookFiles([own])).length).toBeLessThan(10);
  });

  it('leaves out the evidence that cases are run on', async () => {
    await mkdir(join(own, 'oom/incidents/burst'), { recursive: true });
    await writeFile(join(own, 'oom/incidents/burst/pod.yaml'), 'evidence');

    expect(await readPlaybookFiles([own])).toEqual([]);
  });

  it('says which folder is missing', async () => {
    const reading = readPlaybookFiles([shipped, join(place, 'gone')]);

    await expect(reading).rejects.toMatchObject({ code: 'bad-playbook', message: expect.stringContaining('gone') });
  });

  it('refuses a file that is no playbook by its size', async () => {
    await writeFile(join(own, 'dump.yaml'), 'x'.repeat(4 * 1024 * 1024 + 1));

    await expect(readPlaybookFiles([own])).rejects.toMatchObject({ code: 'bad-playbook' });
  });
});

describe('watching playbook folders', () => {
  it('tells of a change once the folder has come to rest', async () => {
    const clock = createFakeClock();
    const onChange = vi.fn();
    const watcher = watchPlaybookFiles([shipped, own], onChange, clock);
    await writeFile(join(own, 'a.yaml'), 'one');
    await writeFile(join(own, 'a.yaml'), 'two');
    await vi.waitUntil(() => clock.sleeping === 1);

    await clock.advance(299);
    expect(onChange).not.toHaveBeenCalled();
    await vi.waitUntil(async () => {
      await clock.advance(301);
      return onChange.mock.calls.length > 0;
    });

    watcher.stop();
  });

  it('passes on what the reader of the change throws, and goes on', async () => {
    const clock = createFakeClock();
    const faults: unknown[] = [];
    const told = new EventTarget();
    const watcher = watchPlaybookFiles(
      [own],
      () => {
        told.dispatchEvent(new Event('change'));
        throw new Error('wrong playbook');
      },
      clock,
      (error) => faults.push(error),
    );
    for (const text of ['one', 'two']) {
      const change = once(told, 'change');
      await writeFile(join(own, 'a.yaml'), text);
      await vi.waitUntil(async () => {
        await clock.advance(400);
        return faults.length >= (text === 'one' ? 1 : 2);
      });
      await change;
    }
    watcher.stop();

    expect(faults[0]).toMatchObject({ message: 'wrong playbook' });
  });

  it('says nothing more once stopped', async () => {
    const clock = createFakeClock();
    const onChange = vi.fn();
    const onFault = vi.fn();
    const watcher = watchPlaybookFiles([own], onChange, clock, onFault);
    await writeFile(join(own, 'a.yaml'), 'one');
    await vi.waitUntil(() => clock.sleeping === 1);

    watcher.stop();
    await clock.advance(1000);

    expect(onChange).not.toHaveBeenCalled();
    expect(onFault).not.toHaveBeenCalled();
    expect(clock.sleeping).toBe(0);
  });

  it('goes on where a folder cannot be watched', () => {
    const onFault = vi.fn();
    watchPlaybookFiles([join(place, 'gone')], () => undefined, createFakeClock(), onFault).stop();

    expect(onFault).toHaveBeenCalledOnce();
  });
});
