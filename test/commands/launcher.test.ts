import { execFileSync, spawn } from 'node:child_process';
import { closeSync, existsSync, openSync } from 'node:fs';
import { delimiter } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const LAUNCHER = fileURLToPath(new URL('../../bin/oom.mjs', import.meta.url));
const PLAYBOOKS = fileURLToPath(new URL('../../playbooks/oom/incidents/healthy', import.meta.url));
const OLDEST_OF_BUNDLE = 26;

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
    const child = spawn('node', [LAUNCHER, 'playbook', 'test'], { env: { PATH }, stdio: 'ignore' });
    setTimeout(() => child.kill('SIGTERM'), 300);

    const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
      child.on('exit', (...end) => resolve(end));
    });

    expect([code, signal]).toEqual([null, 'SIGTERM']);
  });
});

describe.skipIf(!existsSync('/dev/full'))('an answer that can not be written', () => {
  it('ends in words', async () => {
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [LAUNCHER, 'diagnose', PLAYBOOKS], { stdio: ['ignore', full, 'pipe'] });
    let said = '';
    child.stderr?.on('data', (part) => {
      said += part;
    });
    const code = await new Promise((resolve) => {
      child.on('close', resolve);
    });
    closeSync(full);

    expect(code).toBe(1);
    expect(said).toMatch(/^oom: The answer could not be written \(ENOSPC\)/m);
    expect(said).not.toContain(' at ');
  });
});
