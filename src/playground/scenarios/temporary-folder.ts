import { lstatSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';

// The number of a process means something only among the processes of the same container.
const Owner = z.strictObject({ pid: z.int().positive(), among: z.string() });
const FILE = 'owner.json';

/** Makes a folder for this process, and removes those of the same prefix whose process was killed before it could. */
export function makeTemporaryFolder(prefix: 'oom-demo-' | 'oom-playground-', parent = tmpdir()): string {
  removeLeftOver(prefix, parent);
  const folder = mkdtempSync(join(parent, prefix));
  const owner: z.infer<typeof Owner> = { pid: process.pid, among: processNamespace() };
  writeFileSync(join(folder, FILE), JSON.stringify(owner));
  return folder;
}

function removeLeftOver(prefix: string, parent: string): void {
  for (const name of namesIn(parent)) {
    if (name.startsWith(prefix)) removeIfLeft(join(parent, name));
  }
}

// A folder that cannot be listed is no reason to start nothing.
function namesIn(parent: string): readonly string[] {
  try {
    return readdirSync(parent);
  } catch {
    return [];
  }
}

function removeIfLeft(path: string): void {
  try {
    const folder = lstatSync(path);
    if (!folder.isDirectory() || folder.uid !== process.getuid?.()) return;
    const { pid, among } = Owner.parse(JSON.parse(readFileSync(join(path, FILE), 'utf8')));
    if (among === processNamespace() && isGone(pid)) rmSync(path, { recursive: true, force: true });
  } catch {
    // Not one of ours, or just removed by another start.
  }
}

function isGone(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return hostname();
  }
}
