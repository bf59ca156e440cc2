import { execFileSync, spawn } from 'node:child_process';
import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BUILT_FROM, hashOfSource } from '../../bin/source-hash.mjs';

const LAUNCHER = fileURLToPath(new URL('../../bin/oom.mjs', import.meta.url));
const OLDEST_OF_BUNDLE = 26;
const HANGS_MS = 25_000;

// The Node of the machine, which only starts the pinned one.
const PATH = (process.env.PATH ?? '')
  .split(delimiter)
  .filter((dir) => !dir.includes('node_modules'))
  .join(delimiter);

function hasOlderNode(): boolean {
  try {
    const version = execFileSync('node', ['--version'], { env: { PATH }, encoding: 'utf8' });
    return Number(/^v(\d+)/.exec(version)?.[1]) < OLDEST_OF_BUNDLE;
  } catch {
    return false;
  }
}

const older = hasOlderNode();
if (!older) console.log('skipped: starting under an older Node; there is none on this machine');

describe.skipIf(!older)('oom under the Node of the machine', () => {
  it('ends by the signal that it was sent, as the command does by itself', async () => {
    // It waits for its input, which this process holds open.
    const child = spawn('node', [LAUNCHER, 'diagnose', '-'], { env: { PATH }, stdio: ['pipe', 'ignore', 'ignore'] });
    setTimeout(() => child.kill('SIGTERM'), 300);

    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.on('exit', (...end) => resolve(end));
    });

    expect([code, signal]).toEqual([null, 'SIGTERM']);
  });

  it.skipIf(!existsSync('/proc/self/task'))('does not outlive its launcher, however that is killed', async () => {
    const launcher = spawn('node', [LAUNCHER, 'diagnose', '-'], { env: { PATH }, stdio: ['pipe', 'ignore', 'ignore'] });
    const children = () => readFileSync(`/proc/${launcher.pid}/task/${launcher.pid}/children`, 'utf8').trim();
    await vi.waitUntil(() => children() !== '', { timeout: HANGS_MS });
    const child = Number(children());

    launcher.kill('SIGKILL');

    const isGone = () =>
      !existsSync(`/proc/${child}`) || /^State:\s+Z/m.test(readFileSync(`/proc/${child}/status`, 'utf8'));
    await vi.waitUntil(isGone, { timeout: HANGS_MS });
  });
});

describe.skipIf(!existsSync('/dev/full'))('an answer that cannot be written', () => {
  it('ends in words', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [LAUNCHER, '--version'], { stdio: ['ignore', full, 'pipe'] });
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    const code = await new Promise((resolve) => {
      child.on('close', resolve);
    });
    closeSync(full);

    expect(code).toBe(1);
    expect(said).toMatch(/^oom: Cannot write the output \(ENOSPC\)/m);
    expect(said).not.toContain(' at ');
  });
});

describe('a checkout with a bundle', () => {
  const SAYS = { source: "console.log('source')", bundle: "console.log('bundle')" };
  let root: string;
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };
  const started = () => execFileSync(process.execPath, [join(root, 'bin/oom.mjs')], { encoding: 'utf8' }).trim();
  const LATER = new Date('2100-01-01');

  beforeEach(() => {
    root = mkdtempSync(join(tmpdir(), 'oom-checkout-'));
    cpSync(dirname(LAUNCHER), join(root, 'bin'), { recursive: true });
    for (const path of ['package.json', 'package-lock.json']) put(path, '{}');
    for (const path of ['scripts/build.ts', 'scripts/lean-bundle.ts']) put(path, '');
    put('src/cli.ts', SAYS.source);
    put('src/model/noun.ts', '');
    put('dist/oom.mjs', SAYS.bundle);
    put(`dist/${BUILT_FROM}`, hashOfSource(root));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('starts the bundle, which is quicker', () => {
    expect(started()).toBe('bundle');
  });

  it.each<[string, () => void]>([
    ['changed', () => put('src/model/noun.ts', '// another')],
    ['made smaller', () => rmSync(join(root, 'src/model/noun.ts'))],
    ['given other dependencies', () => put('package-lock.json', '{"lockfileVersion":3}')],
    ['built before builds said from what', () => rmSync(join(root, 'dist', BUILT_FROM))],
  ])('starts the source where it was %s since, though the bundle is the newer file', (_name, change) => {
    change();
    utimesSync(join(root, 'dist/oom.mjs'), LATER, LATER);

    expect(started()).toBe('source');
  });

  it('starts the bundle where files are newer and say the same', () => {
    utimesSync(join(root, 'src/cli.ts'), LATER, LATER);

    expect(started()).toBe('bundle');
  });

  it('is none where there is no source: a package that is installed starts what it came with', () => {
    rmSync(join(root, 'src'), { recursive: true });
    rmSync(join(root, 'dist', BUILT_FROM));

    expect(started()).toBe('bundle');
  });

  describe.skipIf(!older)('under an older Node', () => {
    const COUNTS = `let seen = 0;
      const end = () => console.log('seen', seen) ?? process.exit(0);
      process.on('SIGINT', () => ++seen === 1 && setTimeout(end, 600));
      setInterval(() => undefined, 1000);
      console.log('ready');`;
    // As commands wait: for the first one only.
    const CLEANS_UP = `process.once('SIGINT', () => console.log('cleaning'));
      setInterval(() => undefined, 1000);
      console.log('ready');`;
    const start = (code: string, [command, ...words]: readonly string[], detached = false) => {
      put('src/cli.ts', code);
      mkdirSync(join(root, 'node_modules/node/bin'), { recursive: true });
      symlinkSync(process.execPath, join(root, 'node_modules/node/bin/node'));
      const child = spawn(command ?? '', words, { env: { PATH }, detached });
      let said = '';
      child.stdout.on('data', (part) => {
        said += part;
      });
      const ended = new Promise<[number | null, string | null]>((resolve) => {
        child.on('close', (...end) => resolve(end));
      });
      const says = (words: string) => vi.waitUntil(() => said.includes(words), { timeout: HANGS_MS });
      return { child, says, ended, said: () => said };
    };
    const launch = () => ['node', join(root, 'bin/oom.mjs')];
    // A pseudo-terminal sends Ctrl-C to every process in it.
    const inTerminal = (line: string) => ['/usr/bin/script', '-qec', line, '/dev/null'];
    const hasTerminal = existsSync('/usr/bin/script');

    it.skipIf(!hasTerminal).each([
      ['alone', () => `exec ${launch().join(' ')}`],
      ['behind a pipe', () => `sleep 60 | ${launch().join(' ')}`],
      ['without input', () => `exec ${launch().join(' ')} < /dev/null 2> /dev/null`],
    ])('passes one Ctrl-C on once, so that it can clean up: %s', async (_name, line) => {
      const { child, says, ended, said } = start(COUNTS, inTerminal(line()));
      await says('ready');

      child.stdin.write('\x03');

      await says('seen');
      expect(said()).toContain('seen 1');
      await ended;
    });

    it('passes one signal to the group on once', async () => {
      const { child, says, said } = start(COUNTS, launch(), true);
      await says('ready');

      process.kill(-(child.pid ?? Number.NaN), 'SIGINT');

      await says('seen');
      expect(said()).toContain('seen 1');
    });

    it('passes on what only the launcher was sent', async () => {
      const { child, says, ended, said } = start(COUNTS, launch());
      await says('ready');

      child.kill('SIGINT');

      expect(await ended).toEqual([0, null]);
      expect(said()).toContain('seen 1');
    });

    it.skipIf(!hasTerminal)('passes on what only the launcher was sent in a terminal', async () => {
      const { child, says, said } = start(COUNTS, inTerminal(`${launch().join(' ')} & wait`));
      await says('ready');
      const children = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
      const [shell] = children(child.pid ?? Number.NaN);
      const [launcher] = children(Number(shell));

      // A shell without job control starts it with SIGINT ignored; Node takes it all the same.
      process.kill(Number(launcher), 'SIGINT');

      await says('seen');
      expect(said()).toContain('seen 1');
    });

    it('ends at the second one, though it cleans up', async () => {
      const { child, says, ended } = start(CLEANS_UP, launch(), true);
      await says('ready');

      process.kill(-(child.pid ?? Number.NaN), 'SIGINT');
      await says('cleaning');
      process.kill(-(child.pid ?? Number.NaN), 'SIGINT');

      expect(await ended).toEqual([null, 'SIGINT']);
    });

    it('ends by the signal though it is busy', async () => {
      const { child, says, ended } = start(`console.log('ready'); for (;;);`, launch());
      await says('ready');

      child.kill('SIGTERM');

      expect(await ended).toEqual([null, 'SIGTERM']);
    });
  });
});
