#!/usr/bin/env node
// Starts oom under the right Node: the bundle, or in a checkout the source where no bundle was built from it as it stands.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { passSignals, takeSignals } from './signals.mjs';
import { BUILT_FROM, hashOfSource } from './source-hash.mjs';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const source = at('src/cli.ts');
const entry = existsSync(source) && !isBundleOfSource() ? source : at('dist/oom.mjs');
const major = Number(process.versions.node.split('.')[0]);

if (major >= 26) {
  endWithLauncher();
  await import(entry);
} else {
  const pinned = at('node_modules/node/bin/node');
  if (!existsSync(pinned)) {
    const get = existsSync(source) ? 'run `npm ci` here' : 'run `npx -p node@26 oom …`, or `nvm install 26`';
    console.error(`oom needs Node 26 or newer; this is ${process.version}. To get it, ${get}.`);
    process.exit(2);
  }
  const child = spawn(pinned, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], {
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  });
  passSignals(child);
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // With a listener the signal would end nothing, and the command would look like one that went well.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

// A launcher that was killed outright forwards no signal; the channel to it closes all the same.
function endWithLauncher() {
  const end = () => process.kill(process.pid, 'SIGTERM');
  // It may be gone before this process has come so far.
  if (process.connected === false) end();
  if (process.channel === undefined || process.channel === null) return;
  process.on('disconnect', end);
  takeSignals();
  process.channel.unref();
}

// A bundle that is older than the source would answer as nobody would expect who has changed it.
function isBundleOfSource() {
  try {
    return readFileSync(at(`dist/${BUILT_FROM}`), 'utf8') === hashOfSource(at('.'));
  } catch {
    return false;
  }
}
