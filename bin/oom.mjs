#!/usr/bin/env node
// Starts oom under the right Node: in a checkout the source under the pinned runtime, in an installed package the bundle.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url));
const source = at('src/cli.ts');
const bundle = at('dist/oom.mjs');
const entry = existsSync(source) ? source : bundle;
const major = Number(process.versions.node.split('.')[0]);

if (major >= 26) {
  await import(entry);
} else {
  const pinned = at('node_modules/node/bin/node');
  if (!existsSync(pinned)) {
    console.error(
      `oom needs Node 26 or newer, this is ${process.version}. Install Node 26, or run npm ci in a checkout.`,
    );
    process.exit(2);
  }
  const child = spawn(pinned, [entry, ...process.argv.slice(2)], { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code ?? 1);
    // With a listener the signal would end nothing, and the command would look like one that went well.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}
