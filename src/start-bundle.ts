import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { constants, Script } from 'node:vm';
import { isOwnFolder } from '../bin/own-folder.mjs';

/** Name of the bundle, with the hash of its content in it; scripts/build.ts puts it here. */
declare const BUNDLE: string;

type Main = { main(): Promise<void> };

// Node's own cache holds no function that is compiled when it is first called, and these take most of a start. What was
// compiled is kept for each command by itself: another one calls other functions.
const folder = ownFolder();
const word = process.argv.slice(2).find((one) => /^[a-z][a-z-]{0,20}$/.test(one)) ?? 'none';
const cache = folder && join(folder, `${BUNDLE}-${process.version}-${process.arch}-${word}.bin`);
const url = new URL(BUNDLE, import.meta.url);
// The build writes ASCII alone, which latin1 reads without decoding.
const script = new Script(`(function(module,exports,require,BUNDLE_URL){${readFileSync(url, 'latin1')}\n})`, {
  filename: fileURLToPath(url),
  cachedData: cache === undefined ? undefined : readCache(cache),
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
});
if (cache !== undefined && script.cachedDataRejected !== false) process.on('exit', (code) => code === 0 && keep(cache));
const module = { exports: {} };
script.runInThisContext()(module, module.exports, createRequire(import.meta.url), import.meta.url);
await (module.exports as Main).main();

// Whoever can write the folder can run code as this user, so a shared one does not do.
function ownFolder(): string | undefined {
  const name = `oombot-code-${process.getuid?.()}`;
  return [() => join(homedir(), '.cache/oombot/code'), () => join(tmpdir(), name)]
    .map((make) => attempt(make))
    .find((path) => path !== undefined && isOwnFolder(path));
}

function readCache(path: string): Buffer | undefined {
  return attempt(() => readFileSync(path));
}

// Those of other bundles go.
function keep(path: string): void {
  attempt(() => {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
    for (const name of readdirSync(join(path, '..'))) {
      if (!name.startsWith(BUNDLE)) rmSync(join(path, '..', name), { recursive: true, force: true });
    }
  });
}

function attempt<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch {
    return undefined;
  }
}
