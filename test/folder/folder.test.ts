import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHead } from '../../src/folder/evidence-file.ts';
import { openEvidence } from '../../src/folder/open-evidence.ts';
import { diskFile, readFolder } from '../../src/folder/read-folder.ts';
import { writeFolder } from '../../src/folder/write-folder.ts';
import { OomError } from '../../src/model/errors.ts';
import { buildSnapshot } from '../../src/snapshot/build.ts';
import { createRedactor } from '../../src/snapshot/redact.ts';
import { snapshotSource } from '../../src/snapshot/source.ts';
import { exampleCapture } from '../model/examples.ts';

let place: string;
beforeEach(async () => {
  place = await mkdtemp(join(tmpdir(), 'oom-folder-'));
});
afterEach(() => rm(place, { recursive: true, force: true }));

const redactor = createRedactor();
const snapshotOf = (files: Readonly<Record<string, string>>) =>
  buildSnapshot({ id: 'inc_1', files, capture: exampleCapture, redactor });

async function opened(open: AsyncIterable<Uint8Array>): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of open) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function faultOf(promise: Promise<unknown>): Promise<OomError> {
  const fault = await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(fault).toBeInstanceOf(OomError);
  return fault as OomError;
}

describe('a snapshot folder', () => {
  it('gives back the same bytes, whatever the text', async () => {
    const piece = fc.oneof(
      fc.string({ unit: 'binary-ascii', maxLength: 40 }),
      fc.constantFrom('🧨', '\r\n', '\ud83d', '\udc00', '\ufeff', '\u0000', 'é', '{"a":1}'),
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const names = ['vllm.previous.log', 'current.log', 'pod.json', 'describe.txt', 'series.json'];
    let n = 0;

    await fc.assert(
      fc.asyncProperty(fc.array(text, { minLength: 5, maxLength: 5 }), async (texts) => {
        const snapshot = snapshotOf(Object.fromEntries(names.map((name, i) => [name, texts[i] ?? ''])));
        const folder = join(place, `s${n++}`);
        await writeFolder(folder, snapshot);
        const fromMemory = snapshotSource(snapshot);
        const fromFolder = await readFolder(folder);

        expect(await fromFolder.list()).toEqual((await fromMemory.list()).toSorted());
        for (const name of Object.keys(snapshot.files)) {
          expect(await fromFolder.read(name)).toBe(snapshot.files[name]);
          expect(await opened(fromFolder.open(name))).toBe(snapshot.files[name]);
          expect(await opened(fromMemory.open(name))).toBe(snapshot.files[name]);
        }
      }),
      { numRuns: 5, seed: 11 },
    );
  });

  it('lists known names only, and nothing that a link leads out to', async () => {
    const folder = join(place, 'mixed');
    await mkdir(join(folder, 'kernel.txt'), { recursive: true });
    await writeFile(join(place, 'outside.log'), 'secret of another folder');
    await symlink(join(place, 'outside.log'), join(folder, 'previous.log'));
    await symlink(join(place, 'nowhere'), join(folder, 'args.txt'));
    await writeFile(join(folder, 'describe.txt'), 'Name: x');
    await symlink(join(folder, 'describe.txt'), join(folder, 'current.log'));
    await writeFile(join(folder, 'notes.md'), 'mine');

    expect(await (await readFolder(folder)).list()).toEqual(['current.log', 'describe.txt']);
  });

  it('keeps its names where other evidence lies next to them', async () => {
    await writeFile(join(place, 'vllm.previous.log'), 'x');
    await writeFile(join(place, 'gpu.out'), 'NVIDIA-SMI 570.1');

    const source = await openEvidence(place, () => Readable.from([]));

    expect(await source.list()).toEqual(['nvidia-smi.txt', 'vllm.previous.log']);
  });

  it('takes what kubectl prints as YAML for the JSON of that name, which counts where both are there', async () => {
    const yaml = 'kind: Pod\nmetadata: {name: heron-0}\nstatus:\n  startTime: "2026-11-01T00:00:00Z"\n  restarts: 3\n';
    await writeFile(join(place, 'pod.yaml'), yaml);
    await writeFile(join(place, 'node.yml'), 'kind: Node\n');
    await writeFile(join(place, 'owners.json'), 'apiVersion: v1\nitems: []\n');
    await writeFile(join(place, 'node.json'), '{"kind":"Node","spec":{}}');
    await writeFile(join(place, 'events.yaml'), 'items: [');
    await writeFile(join(place, 'values.yaml'), 'replicas: 2\n');
    await symlink(join(place, 'pod.yaml'), join(place, 'previous.log'));
    const source = await readFolder(place);

    expect(await source.list()).toEqual(['events.json', 'node.json', 'owners.json', 'pod.json', 'previous.log']);
    expect(JSON.parse(await source.read('pod.json'))).toEqual({
      kind: 'Pod',
      metadata: { name: 'heron-0' },
      status: { startTime: '2026-11-01T00:00:00Z', restarts: 3 },
    });
    expect(await opened(source.open('pod.json'))).toBe(await source.read('pod.json'));
    expect(await source.read('node.json')).toBe('{"kind":"Node","spec":{}}');
    expect(await source.read('events.json')).toBe('items: [');
    expect(JSON.parse(await source.read('owners.json'))).toEqual({ apiVersion: 'v1', items: [] });
    expect(await opened(source.open('previous.log'))).toBe(yaml);
  });

  it('takes a list of one pod for that pod, and leaves a list of several as it is', async () => {
    const list = (...names: readonly string[]) =>
      JSON.stringify({ kind: 'List', items: names.map((name) => ({ kind: 'Pod', metadata: { name } })) });
    await writeFile(join(place, 'pod.json'), list('heron-0'));
    await writeFile(join(place, 'node.json'), list('a', 'b'));
    await writeFile(join(place, 'events.json'), list('x'));
    const source = await readFolder(place);

    expect(JSON.parse(await source.read('pod.json'))).toEqual({ kind: 'Pod', metadata: { name: 'heron-0' } });
    expect(await opened(source.open('pod.json'))).toBe(await source.read('pod.json'));
    expect(await source.read('node.json')).toBe(list('a', 'b'));
    expect(await source.read('events.json')).toBe(list('x'));
  });

  const METRIC = { type: 'Resource', resource: { name: 'cpu' } };
  const LISTED = JSON.stringify({
    kind: 'List',
    items: [
      { kind: 'HorizontalPodAutoscaler', spec: { scaleTargetRef: { name: 'heron' }, metrics: [METRIC] } },
      { kind: 'PodDisruptionBudget', status: { disruptionsAllowed: 0 } },
      ...[1, 2].map((n) => ({
        kind: 'ReplicaSet',
        metadata: {
          name: `heron-${n}`,
          annotations: { 'deployment.kubernetes.io/revision': String(n) },
          ownerReferences: [{ name: 'heron' }],
        },
        spec: { replicas: n, template: { spec: { containers: [{ name: 'vllm', image: `acme/vllm:${n}` }] } } },
      })),
    ],
  });
  const HPA = { metadata: { name: 'heron' }, spec: { scaleTargetRef: { name: 'heron' } } };
  const TABLE = `NAME    REFERENCE          TARGETS        MINPODS   MAXPODS   REPLICAS   AGE
horizontalpodautoscaler.autoscaling/heron   Deployment/heron   cpu: 30%/80%   1   4   1   5d

NAME    MIN AVAILABLE   MAX UNAVAILABLE   ALLOWED DISRUPTIONS   AGE
poddisruptionbudget.policy/heron   1   N/A   0   5d

NAME   DESIRED   CURRENT   READY   AGE
replicaset.apps/heron-2   1   1   0   10m
`;

  it.each([
    ['a list', LISTED],
    ['tables', TABLE],
  ])('takes what kubectl get hpa,pdb,rs prints as %s for the autoscalers', async (_, text) => {
    await writeFile(join(place, 'autoscalers.json'), text);

    const read = JSON.parse(await (await readFolder(place)).read('autoscalers.json'));

    expect(Object.keys(read)).toEqual(['hpas', 'pdbs']);
    expect(read.hpas).toMatchObject([{ spec: { scaleTargetRef: { name: 'heron' }, metrics: [METRIC] } }]);
    expect(read.pdbs).toMatchObject([{ status: { disruptionsAllowed: 0 } }]);
  });

  it.each([
    ['a list of a kind, whose items name none', { kind: 'HorizontalPodAutoscalerList', items: [HPA] }],
    ['a bare array', [{ kind: 'HorizontalPodAutoscaler', ...HPA }]],
    ['one object', { kind: 'HorizontalPodAutoscaler', ...HPA }],
  ])('takes %s for the autoscalers', async (_, value) => {
    await writeFile(join(place, 'autoscalers.json'), JSON.stringify(value));

    const read = JSON.parse(await (await readFolder(place)).read('autoscalers.json'));

    expect(read).toMatchObject({ hpas: [{ metadata: { name: 'heron' } }] });
  });

  it('leaves revisions that are in the form of a snapshot as they are', async () => {
    const text = JSON.stringify([{ kind: 'ReplicaSet', name: 'heron-2', revision: 2, template: { spec: {} } }]);
    await writeFile(join(place, 'revisions.json'), text);

    expect(await (await readFolder(place)).read('revisions.json')).toBe(text);
  });

  it('says of a file that it cannot be read, and not of a folder', async () => {
    const gone = diskFile(join(place, 'gone.log'), 'gone.log');

    await expect(readHead(gone, 1)).rejects.toThrow('Cannot read the file gone.log.');
  });

  it('takes the ReplicaSets of such a list for the revisions, the newest first', async () => {
    await writeFile(join(place, 'revisions.json'), LISTED);

    const read = JSON.parse(await (await readFolder(place)).read('revisions.json'));

    expect(read).toMatchObject([
      { name: 'heron-2', revision: 2, owner: 'heron' },
      { name: 'heron-1', revision: 1, template: { spec: { containers: [{ image: 'acme/vllm:1' }] } } },
    ]);
  });

  it.each([
    ['file', /^This is a file, not a folder\.$/],
    ['missing', /^No folder .*missing\.$/],
    ['file/below', /below\.$/],
  ])('says of %s that it is no folder', async (name, says) => {
    await writeFile(join(place, 'file'), 'x');

    const fault = await faultOf(readFolder(join(place, name)));

    expect(fault.code).toBe('no-folder');
    expect(fault.message).toMatch(says);
    expect(fault.next).toContain('describe.txt');
  });

  it('refuses a file that it did not list', async () => {
    expect(() => snapshotSource({ id: 'x', files: {} }).open('pod.json')).not.toThrow();
    const source = await readFolder(place);

    expect(() => source.open('pod.json')).toThrow(OomError);
  });
});

describe('encodings', () => {
  const LINE = 'torch.OutOfMemoryError: CUDA out of memory. 🧨 é\r\n';
  const utf16be = Buffer.from(`\ufeff${LINE.repeat(9000)}`, 'utf16le').swap16();

  it.each([
    ['UTF-16 LE, as PowerShell redirects', Buffer.from(`\ufeff${LINE.repeat(9000)}`, 'utf16le')],
    ['UTF-16 BE', utf16be],
    ['UTF-8 with a mark', Buffer.from(`\ufeff${LINE.repeat(9000)}`)],
    ['UTF-8', Buffer.from(LINE.repeat(9000))],
  ])('reads %s as UTF-8, in one go and in pieces', async (_name, bytes) => {
    await writeFile(join(place, 'previous.log'), bytes);
    const source = await readFolder(place);

    expect(await source.read('previous.log')).toBe(LINE.repeat(9000));
    expect(await opened(source.open('previous.log'))).toBe(LINE.repeat(9000));
  });

  it.each([
    ['', ''],
    ['ff', '\ufffd'],
    ['fffe', ''],
    ['61', 'a'],
    ['feff0061', 'a'],
  ])('reads a file of the bytes %j', async (hex, text) => {
    await writeFile(join(place, 'args.txt'), Buffer.from(hex, 'hex'));

    expect(await (await readFolder(place)).read('args.txt')).toBe(text);
  });

  it('takes no YAML for whole that is cut', async () => {
    const event = '- reason: BackOff\n  message: back-off restarting failed container\n';
    await writeFile(join(place, 'events.yaml'), event.repeat(Math.ceil((9 * 1024 * 1024) / event.length)));
    const source = await readFolder(place);

    expect((await source.read('events.json')).startsWith('- reason')).toBe(true);
    expect(source.nameOf?.('events.json')).toBe('events.yaml');
  });
});

describe('writing a folder', () => {
  const NEW = snapshotOf({ 'previous.log': 'new\n' });
  const OLD = snapshotOf({ 'previous.log': 'old\n', 'kernel.txt': 'old\n' });

  it('lets only its owner read', async () => {
    const folder = join(place, 'deep/er/s');
    await writeFolder(folder, NEW);

    expect((await stat(folder)).mode & 0o777).toBe(0o700);
    for (const name of await readdir(folder)) expect((await stat(join(folder, name))).mode & 0o777).toBe(0o600);
  });

  it('replaces a snapshot and leaves nothing beside it', async () => {
    await writeFolder(join(place, 's'), OLD);
    await writeFolder(join(place, 's'), NEW);

    expect(await readdir(join(place, 's'))).toEqual(['incident.json', 'previous.log']);
    expect(await readdir(place)).toEqual(['s']);
  });

  it.each([
    ['a file of another kind', async (folder: string) => writeFile(join(folder, 'thesis.doc'), 'years')],
    ['evidence gathered by hand', async (folder: string) => writeFile(join(folder, 'previous.log'), 'years')],
    ['a folder with a known name', async (folder: string) => mkdir(join(folder, 'incident.json'))],
  ])('never replaces a folder that holds %s', async (_name, fill) => {
    const folder = join(place, 'foreign');
    await mkdir(folder);
    await fill(folder);
    const before = await readdir(folder);

    const fault = await faultOf(writeFolder(folder, NEW));

    expect(fault.code).toBe('bad-input');
    expect(await readdir(folder)).toEqual(before);
    expect(await readdir(place)).toEqual(['foreign']);
  });

  it('never replaces a file', async () => {
    await writeFile(join(place, 'f'), 'mine');

    expect((await faultOf(writeFolder(join(place, 'f'), NEW))).code).toBe('bad-input');
    expect(await readFile(join(place, 'f'), 'utf8')).toBe('mine');
  });

  it('fills an empty folder', async () => {
    await mkdir(join(place, 'empty'));
    await writeFolder(join(place, 'empty'), NEW);

    expect(await readFile(join(place, 'empty/previous.log'), 'utf8')).toBe('new\n');
  });

  it('writes nothing outside, whatever a file is called', async () => {
    const folder = join(place, 's');
    const fault = await faultOf(writeFolder(folder, { id: 'x', files: { '../escaped.log': 'x' } }));

    expect(fault.code).toBe('bad-input');
    expect(await readdir(place)).toEqual([]);
  });

  it.each([1, 2])('leaves the old snapshot whole where move %i fails', async (failing) => {
    const folder = join(place, 's');
    await writeFolder(folder, OLD);
    let moves = 0;
    const fault = await faultOf(
      writeFolder(folder, NEW, {
        rm,
        rename: async (from, to) => {
          moves += 1;
          if (moves === failing) throw new Error('disk gone');
          await rename(from, to);
        },
      }),
    );

    expect(fault.code).toBe('bad-input');
    expect(await readFile(join(folder, 'previous.log'), 'utf8')).toBe('old\n');
    expect((await readdir(place)).map((name) => basename(name))).toEqual(['s']);
  });

  it('deletes the old snapshot only after the new one is in place', async () => {
    const folder = join(place, 's');
    await writeFolder(folder, OLD);
    const done: string[] = [];
    await writeFolder(folder, NEW, {
      rename: async (from, to) => {
        done.push('rename');
        await rename(from, to);
      },
      rm: async (path, options) => {
        done.push('rm');
        expect(await readFile(join(folder, 'previous.log'), 'utf8')).toBe('new\n');
        await rm(path, options);
      },
    });

    expect(done).toEqual(['rename', 'rename', 'rm']);
  });
});
