import { isOwnFolder } from '../bin/own-folder.mjs';

// Imported, each would be loaded with all that it exports: the streams and promises of `node:fs` take milliseconds.
const { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } = process.getBuiltinModule('node:fs');
const { createRequire } = process.getBuiltinModule('node:module');
const { homedir, tmpdir } = process.getBuiltinModule('node:os');
const { join } = process.getBuiltinModule('node:path');
const { fileURLToPath } = process.getBuiltinModule('node:url');
const { setFlagsFromString } = process.getBuiltinModule('node:v8');
const { Script } = process.getBuiltinModule('node:vm');

/** Names of the bundles, with the hash of their content in them; scripts/build.ts puts them here. */
declare const SERVICE: string;
declare const TERMINAL: string;

type Main = { main(): Promise<void> };

// Node's own cache holds no function that is compiled when it is first called, and these take most of a start. What was
// compiled is kept for each command by itself: another one calls other functions.
const folder = ownFolder();
const word = process.argv.slice(2).find((one) => /^[a-z][a-z-]{0,20}$/.test(one)) ?? 'none';
// One answer is given before what V8 prepares for a long run pays off: collecting garbage in the background, and compiling
// thousands of patterns and functions again because they ran a few times.
const SHORT = [
  '--no-regexp-peephole-optimization',
  '--regexp-tier-up-ticks=20',
  '--no-incremental-marking',
  '--semi-space-growth-factor=8',
  '--no-parallel-scavenge',
  '--no-wasm-tier-up',
  '--no-wasm-dynamic-tiering',
  '--invocation-count-for-maglev=4000',
  '--invocation-count-for-turbofan=30000',
];
const isService = process.argv.includes('serve');
const bundle = isService ? SERVICE : TERMINAL;
if (!isService) {
  for (const flag of SHORT) setFlagsFromString(flag);
  // Nor does code that is made for each schema; zod reads this when it is loaded.
  Object.assign(globalThis, { __zod_globalConfig: { jitless: true } });
}
const cache = folder && join(folder, `${bundle}-${process.version}-${process.arch}-${word}.bin`);
const url = new URL(bundle, import.meta.url);
// The build writes ASCII alone, which latin1 reads without decoding.
const script = new Script(`(function(module,exports,require,BUNDLE_URL){${readFileSync(url, 'latin1')}\n})`, {
  filename: fileURLToPath(url),
  cachedData: cache === undefined ? undefined : readCache(cache),
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

// Those of other releases go.
function keep(path: string): void {
  attempt(() => {
    const temporary = `${path}.${process.pid}`;
    writeFileSync(temporary, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    renameSync(temporary, path);
    for (const name of readdirSync(join(path, '..'))) {
      if (![SERVICE, TERMINAL].some((one) => name.startsWith(one)))
        rmSync(join(path, '..', name), { recursive: true, force: true });
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
