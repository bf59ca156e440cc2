import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';

// What only Slack's client uses of undici, the WebSocket for one, and what nobody does.
const UNUSED = /^\.\/lib\/(?:web|mock|cache|interceptor)\//;
const WHOLE = /\/node_modules\/@slack\//;
const RESOLVED = 'resolved';
const STUB = `class NotInTheBundle {}
module.exports = new Proxy(NotInTheBundle, { get: (_, key) => (key === '__esModule' ? undefined : NotInTheBundle) });`;
// client-node makes API clients, of which this is all that its credentials need: not the classes of a thousand objects.
const CONFIGURATION = `export { createConfiguration } from './configuration.js';
export { ServerConfiguration } from './servers.js';`;

/** Keeps out of the bundle what takes long to load at each start of the terminal. `npm run bench -- terminal` measures it. */
export const leanBundle: Plugin = {
  name: 'lean-bundle',
  setup({ onResolve, onLoad, resolve }) {
    // Imported, Node makes a module of all that `node:http` has, a second undici among it; required, it does not.
    onResolve({ filter: /^node:/ }, ({ path, namespace }) =>
      namespace === 'builtin' ? { path, external: true } : { path, namespace: 'builtin' },
    );
    onLoad({ filter: /.*/, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)})`,
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
    onLoad({ filter: /.*/, namespace: 'unused' }, () => ({ contents: STUB }));
    onResolve({ filter: /^\.\/gen\/index\.js$/ }, async ({ path, importer, resolveDir }) => {
      if (!importer.endsWith('/client-node/dist/config.js')) return undefined;
      const { path: index } = await resolve(path, { resolveDir, kind: 'import-statement' });
      return { path: index, namespace: 'configuration' };
    });
    onLoad({ filter: /.*/, namespace: 'configuration' }, ({ path }) => ({
      contents: CONFIGURATION,
      resolveDir: dirname(path),
    }));
  },
};
