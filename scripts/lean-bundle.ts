import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

// What only Slack's client uses of undici, the WebSocket for one, and what nobody does.
const UNUSED = /^\.\/lib\/(?:web|mock|cache|interceptor)\//;
// Its requests need `node:http2`, and to the API server there are none.
const HTTP2 = /^\.\/client-h2\.js$/;
const UNDICI = /\/node_modules\/undici\/lib\/(?:core|dispatcher)\//;
const CREDENTIALS = /\/client-node\/dist\/config\.js$/;
const WHOLE = /\/node_modules\/@slack\//;
const RESOLVED = 'resolved';
// A class by whatever name it is asked for, of a module that is imported as well: that inherits what this one inherits.
const STUB = `class NotInTheBundle {}
const named = (_, key) => (key === '__esModule' ? undefined : typeof key === 'symbol' ? Function.prototype[key] : NotInTheBundle);
module.exports = Object.setPrototypeOf(NotInTheBundle, new Proxy(Function.prototype, { get: named }));`;
// client-node makes API clients, of which this is all that its credentials need: not the classes of a thousand objects.
const CONFIGURATION = `export { createConfiguration } from './configuration.js';
export { ServerConfiguration } from './servers.js';`;

// What few commands use, and libraries name at their start.
const LATE = new Set(
  ['fs/promises', 'http2', 'https', 'perf_hooks', 'readline', 'worker_threads', 'zlib'].map((name) => `node:${name}`),
);

function lateModule(path: string): string {
  return `module.exports = Object.create(new Proxy({}, {
    get: (_, key) => require('${path}')[key],
    has: (_, key) => key in require('${path}'),
  }))`;
}

// undici asserts at each step: `node:assert` is loaded by the first assertion that fails.
const ASSERT = `const assert = (ok, ...words) => ok || require('node:assert')(ok, ...words);
module.exports = Object.setPrototypeOf(assert, new Proxy(Function.prototype, { get: (_, key) => require('node:assert')[key] }))`;
// client-node takes `spawn` for each kubeconfig, and calls it for one with a plugin.
const SPAWN = `${lateModule('node:child_process')};
module.exports.spawn = (...words) => require('node:child_process').spawn(...words)`;

// undici compares a class with that of requests that a server took, and looks up how long the headers of an answer may be.
const HTTP_OF_CLIENTS = `module.exports = { IncomingMessage: class {}, maxHeaderSize: 16 * 1024 }`;

// Each place that imports a module copies what it has of its own, and inherits the rest.
function earlyModule(path: string): string {
  return `const builtin = require('${path}');
module.exports = typeof builtin === 'function' ? builtin : Object.create(builtin)`;
}

function builtinModule(path: string): string {
  if (path === 'node:assert') return ASSERT;
  if (path === 'node:child_process') return SPAWN;
  return LATE.has(path) ? lateModule(path) : earlyModule(path);
}

/** For the bundle that src/start-bundle.ts never starts `oom serve` from. */
export const withoutService: Plugin = {
  name: 'without-service',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/main\.ts$/ }, ({ path }) => ({ path, external: true }));
  },
};

/** Stand-ins and simulated engines are in a bundle of their own, which `oom demo` loads. */
export const withoutPlayground: Plugin = {
  name: 'without-playground',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\.\/playground\/demo\.ts$/ }, () => ({ path: './playground.mjs', external: true }));
  },
};

/** Keeps out of the bundle what takes long to load at each start of the terminal. `npm run bench -- terminal` measures it. */
export const leanBundle: Plugin = {
  name: 'lean-bundle',
  setup({ onResolve, onLoad, resolve }) {
    // Imported, Node makes a module of all that `node:http` has, a second undici among it; required, it does not. What a
    // triage never asks is not loaded, and no getter is made for each name of a module at each place that imports it.
    onResolve({ filter: /^node:/ }, ({ path, namespace, importer }) => {
      if (namespace === 'builtin') return { path, external: true };
      if (path === 'node:http' && UNDICI.test(importer)) return { path, namespace: 'http-of-clients' };
      // An agent for each kubeconfig, and requests go another way.
      if (/^node:https?$/.test(path) && CREDENTIALS.test(importer)) return { path, namespace: 'unused' };
      return { path, namespace: 'builtin' };
    });
    onLoad({ filter: /.*/, namespace: 'http-of-clients' }, () => ({ contents: HTTP_OF_CLIENTS }));
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: builtinModule(path),
    }));
    onResolve({ filter: /^undici$/ }, async ({ path, importer, kind, resolveDir, pluginData }) => {
      if (pluginData === RESOLVED || WHOLE.test(importer)) return undefined;
      const { path: index } = await resolve(path, { importer, kind, resolveDir, pluginData: RESOLVED });
      return { path: index, namespace: 'undici-core' };
    });
    onLoad({ filter: /.*/, namespace: 'undici-core' }, async ({ path }) => ({
      contents: await readFile(path, 'utf8'),
      resolveDir: dirname(path),
    }));
    onResolve({ filter: UNUSED, namespace: 'undici-core' }, ({ path }) => ({ path, namespace: 'unused' }));
    // client-node puts them into an agent for `node:https`, and requests go another way.
    onResolve({ filter: /^(?:socks|socks-proxy-agent|hpagent)$/ }, ({ path, importer }) =>
      CREDENTIALS.test(importer) ? { path, namespace: 'unused' } : undefined,
    );
    onResolve({ filter: /\/locales\/index\.js$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/zod/') ? { path, namespace: 'unused' } : undefined,
    );
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: STUB }));
    onResolve({ filter: HTTP2 }, ({ path, namespace, resolveDir }) =>
      namespace === 'late' ? undefined : { path: join(resolveDir, path), namespace: 'late' },
    );
    onLoad({ filter: /.*/, namespace: 'late' }, ({ path }) => ({
      contents: `module.exports = (...words) => require('./${basename(path)}')(...words)`,
      resolveDir: dirname(path),
    }));
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, async ({ path, importer, resolveDir }) => {
      if (!CREDENTIALS.test(importer)) return undefined;
      const { path: index } = await resolve(path, { resolveDir, kind: 'import-statement' });
      return { path: index, namespace: 'configuration' };
    });
    onLoad({ filter: /.*/, namespace: 'configuration' }, ({ path }) => ({
      contents: CONFIGURATION,
      resolveDir: dirname(path),
    }));
  },
};
