import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { packTar } from 'modern-tar';
import { afterAll, describe, expect, it } from 'vitest';
import { runOom } from '../fakes/terminal.ts';

const root = mkdtempSync(join(tmpdir(), 'oom-inputs-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const shipped = (path: string) => readFileSync(join('playbooks/oom/incidents', path), 'utf8');
const GPU_LOG = shipped('burst-headroom/previous.log');
const RAM_LOG = shipped('oomkilled-at-load/previous.log');
const RAM_POD = shipped('oomkilled-at-load/pod.json');
const GPU = 'gpu.burst.headroom';
const RAM = 'host.startup.weight-staging';

type Files = Readonly<Record<string, string | Uint8Array>>;

function aTree(name: string, files: Files): string {
  for (const [path, content] of Object.entries(files)) {
    const place = join(root, name, path);
    mkdirSync(dirname(place), { recursive: true });
    writeFileSync(place, content);
  }
  return join(root, name);
}

const aFile = (name: string, content: string | Uint8Array) => join(aTree('files', { [name]: content }), name);

type Entry = Parameters<typeof packTar>[0][number];
const entriesOf = (files: Files): Entry[] =>
  Object.entries(files).map(([name, body]) => ({ header: { name, size: Buffer.byteLength(body) }, body }));
const aTar = (files: Files) => packTar(entriesOf(files));

const causesOf = (out: string) =>
  out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .map(({ id, cause }) => [id, cause]);

describe('oom diagnose takes', () => {
  it.each<[string, () => Promise<string | Uint8Array> | string | Uint8Array]>([
    ['the log of `kubectl logs --previous`', () => GPU_LOG],
    ['a tar', () => aTar({ 'burst/previous.log': GPU_LOG })],
    ['a gzipped tar', async () => gzipSync(await aTar({ 'burst/app.log': GPU_LOG }))],
    ['a gzipped log', () => gzipSync(GPU_LOG)],
    ['UTF-16 of PowerShell', () => Buffer.from(`\ufeff${GPU_LOG}`, 'utf16le')],
  ])('%s on standard input', async (_name, input) => {
    const { code, out, err } = await runOom(['diagnose', '-', '--json'], await input());

    expect(err).toBe('');
    expect(code).toBe(0);
    expect(causesOf(out).map(([, cause]) => cause)).toEqual([GPU]);
  });

  it('a file of any name', async () => {
    const { out } = await runOom(['diagnose', aFile('vllm-0.txt', GPU_LOG), '--json']);

    expect(causesOf(out)).toEqual([['vllm-0.txt', GPU]]);
  });

  it.each([['diagnose'], ['explain']])('the lines that %s cites by the name of the given file', async (command) => {
    const file = await runOom([command, aFile('vllm-0.txt', GPU_LOG)]);
    const piped = await runOom([command, '-'], GPU_LOG);

    expect(file.out).toMatch(/\bvllm-0\.txt:\d+ /);
    expect(piped.out).toMatch(/\bstdin:\d+ /);
    for (const { out } of [file, piped]) expect(out).not.toContain('previous.log');
  });

  it('files that say different things as one incident, standard input among them', async () => {
    const { out } = await runOom(['diagnose', '-', aFile('status.json', RAM_POD), '--json'], RAM_LOG);

    expect(causesOf(out)).toEqual([['stdin', RAM]]);
  });

  it('two logs as two incidents', async () => {
    const words = ['diagnose', aFile('a.log', GPU_LOG), aFile('b.log', RAM_LOG), '--json'];

    expect(causesOf((await runOom(words)).out).map(([id]) => id)).toEqual(['a.log', 'b.log']);
  });

  it('a folder with any log names, and leaves notes and pictures', async () => {
    const folder = aTree('made-by-hand', {
      'app.log.1': GPU_LOG,
      'command.txt': shipped('burst-headroom/args.txt'),
      'notes.md': '# CUDA out of memory, I think',
      'screen.png': Uint8Array.from({ length: 2048 }, (_, i) => (i * 151 + 7) % 256),
    });

    const { out, err } = await runOom(['diagnose', folder]);

    expect(err).toBe('');
    expect(out).toContain('Set --gpu-memory-utilization 0.9 → 0.87.');
    expect(out).toContain(`oom explain ${folder}`);
  });

  const MIXED: readonly [string, Files, readonly (readonly [string, string])[]][] = [
    [
      'a command line and a log of any name',
      { 'args.txt': shipped('burst-headroom/args.txt'), 'server.log': GPU_LOG },
      [['mixed', GPU]],
    ],
    ['a pod and a log of any name', { 'pod.json': RAM_POD, 'vllm-0.log': RAM_LOG }, [['mixed', RAM]]],
    [
      'two incidents and stray metrics',
      { 'one/previous.log': GPU_LOG, 'two/server.log': RAM_LOG, 'two/pod.json': RAM_POD, 'series.json': '{}' },
      [
        ['one', GPU],
        ['two', RAM],
      ],
    ],
    [
      'a snapshot and a second log',
      { 'previous.log': RAM_LOG, 'pod.json': RAM_POD, 'proxy.log': 'ready\n' },
      [['mixed', RAM]],
    ],
    [
      'a healthy snapshot and what somebody wrote about a failure',
      { 'current.log': shipped('healthy/current.log'), 'pod.json': shipped('healthy/pod.json'), 'notes.txt': GPU_LOG },
      [['mixed', 'none.other']],
    ],
    [
      'a snapshot with notes, and a capture of any name',
      { 'previous.log': GPU_LOG, 'notes.txt': RAM_LOG, 'gpu.txt': 'NVIDIA-SMI 570.1' },
      [['mixed', GPU]],
    ],
    ['a snapshot and notes', { 'previous.log': GPU_LOG, 'notes.md': 'mine', 'x.json': '{}' }, [['mixed', GPU]]],
  ];

  it.each(MIXED)('known names with others: %s, as a folder and as a tar', async (name, files, causes) => {
    const folder = aTree(`${name}/mixed`, files);
    const tar = aFile(
      `${name}.tar`,
      await aTar(Object.fromEntries(Object.entries(files).map(([path, text]) => [`mixed/${path}`, String(text)]))),
    );

    expect(causesOf((await runOom(['diagnose', folder, '--json'])).out)).toEqual(causes);
    expect(causesOf((await runOom(['diagnose', tar, '--json'])).out)).toEqual(causes);
  });

  it('a support bundle: each pod with its log, status, events and node; healthy pods without a GPU are counted', async () => {
    const pod = { ...JSON.parse(RAM_POD), kind: undefined };
    const named = (name: string) => ({ ...pod, metadata: { ...pod.metadata, name, namespace: 'llm' } });
    const idle = {
      metadata: { name: 'dns-0', namespace: 'kube-system' },
      spec: { containers: [{ name: 'dns' }] },
      status: { phase: 'Running', containerStatuses: [{ restartCount: 0 }] },
    };
    const event = { metadata: { name: 'e' }, involvedObject: { kind: 'Pod', name: 'big-0' }, reason: 'BackOff' };
    const bundle = aFile(
      'bundle.tgz',
      gzipSync(
        await aTar({
          'bundle/version.yaml': 'apiVersion: troubleshoot.sh/v1beta2\nkind: SupportBundle\n',
          'bundle/cluster-resources/pods/llm.json': JSON.stringify({
            kind: 'PodList',
            items: [named('big-0'), named('no-log-0')],
          }),
          'bundle/cluster-resources/pods/kube-system.json': JSON.stringify([idle]),
          'bundle/cluster-resources/events/llm.json': JSON.stringify([event]),
          'bundle/cluster-resources/pods/logs/llm/big-0/engine-previous.log': RAM_LOG,
          'bundle/cluster-resources/pods/logs/kube-system/dns-0/dns.log': 'plugin/ready\n',
        }),
      ),
    );

    const [data, table] = [await runOom(['diagnose', bundle, '--json']), await runOom(['diagnose', bundle])];

    expect(causesOf(data.out)).toEqual([
      ['big-0', RAM],
      ['no-log-0', 'host.startup.limit'],
    ]);
    expect(data.err).toMatch(/skipped pods \(healthy, no GPU\): 1\.$/);
    const last = table.out.trimEnd().split('\n').slice(-3);
    expect(last.map((line) => line.split(/ {2,}/).slice(0, 3))).toEqual([
      ['NAME', 'RESULT', 'CONFIDENCE'],
      ['big-0', 'OOMKilled', 'high (memory)'],
      ['no-log-0', 'OOMKilled', 'high (memory)'],
    ]);
  });

  it('a folder of incidents, in JSON without the table and in YAML as documents', async () => {
    const folder = aTree('several', { 'one/previous.log': GPU_LOG, 'deep/er/two/server.log': RAM_LOG });

    const [json, yaml] = [
      await runOom(['diagnose', folder, '-o', 'json']),
      await runOom(['diagnose', folder, '-o', 'yaml']),
    ];

    expect(causesOf(json.out).map(([id]) => id)).toEqual(['two', 'one']);
    expect(yaml.out.match(/^---\nid: (?:one|two)$/gm)).toHaveLength(2);
  });
});

const LINK = { header: { name: 'previous.log', type: 'symlink' as const, linkname: '/etc/passwd', size: 0 } };

describe('one line and exit code 2 for', () => {
  const huge = async () => {
    const path = aFile('huge.tar', (await packTar(entriesOf({ 'previous.log': 'x' }))).subarray(0, 512));
    const bytes = readFileSync(path);
    bytes.write(`${(10 * 2 ** 30).toString(8).padStart(11, '0')} `.slice(0, 12), 124, 'latin1');
    bytes.fill(0x20, 148, 156);
    const sum = bytes.reduce((total, byte) => total + byte, 0);
    bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
    writeFileSync(path, bytes);
    truncateSync(path, 10 * 2 ** 30);
    return path;
  };

  const PICTURE = Uint8Array.from({ length: 999 }, (_, i) => (i * 151 + 7) % 256);
  const NESTED = `{"kind":"Pod","metadata":{"name":"x"},"spec":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_001)}`;
  /** An archive that holds a log under this path. */
  const tarWith =
    (name: string, path: string, change = (tar: Uint8Array) => tar) =>
    async () =>
      aFile(name, change(await aTar({ [path]: GPU_LOG })));

  it.each<[string, () => Promise<string> | string, RegExp]>([
    ['an archive with ..', tarWith('up.tar', 'a/../../previous.log'), /outside itself: a\/\.\./],
    ['an absolute path', tarWith('abs.tar', '/etc/previous.log'), /outside itself: \/etc/],
    ['a link that leads out', async () => aFile('link.tar', await packTar([LINK])), /previous\.log -> \/etc\/passwd/],
    ['ten gigabytes', huge, /larger than 512 MiB/],
    ['an archive that was cut', tarWith('cut.tar', 'x/app.log', (tar) => tar.subarray(0, 900)), /cut short/],
    ['a gzip that was cut', tarWith('cut.tgz', 'x/app.log', (tar) => gzipSync(tar).subarray(0, 700)), /cut short/],
    ['what is no tar', () => aFile('text.tar', GPU_LOG), /neither a tar nor a gzipped tar/],
    ['a picture', () => aFile('x.png', PICTURE), /binary file/],
    ['a missing file', () => join(root, 'nosuch'), /No file or folder .*nosuch\./],
    ['prose', () => aFile('text.log', readFileSync('LICENSE', 'utf8')), /No line is from an engine/],
    ['an empty folder', () => mkdtempSync(join(root, 'empty-')), /Nothing in it/],
    ['a pod that is nested without end', () => aFile('nested.json', NESTED), /No line is from an engine/],
    ['a page', () => aFile('page.html', '<html></html>'), /Nothing in it/],
    ['empty standard input', () => '-', /oom diagnose: Standard input is empty\. .*`kubectl logs --previous`/],
  ])('%s', async (_name, make, says) => {
    const { code, out, err } = await runOom(['diagnose', await make()]);

    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(says);
    expect(err.split('\n')).toHaveLength(1);
  });

  it('one of several, after which the others are still diagnosed', async () => {
    const { code, out } = await runOom(['diagnose', join(root, 'nosuch'), 'playbooks/oom/incidents/healthy']);

    expect(code).toBe(2);
    expect(out).toContain('Healthy: healthy');
    expect(out).toMatch(/nosuch +not read/);
  });

  it('an archive is read in memory: nothing of it is on disk', async () => {
    await runOom(['diagnose', aFile('x.tar', await aTar({ 'unpacked-here/previous.log': GPU_LOG }))]);

    expect(existsSync('unpacked-here')).toBe(false);
  });

  it('a link in a folder that leads out of it', async () => {
    const folder = aTree('linked', { 'notes.md': 'x' });
    symlinkSync(aFile('elsewhere.log', GPU_LOG), join(folder, 'app.log'));

    expect(await runOom(['diagnose', folder])).toMatchObject({ code: 2, out: '' });
  });
});
