import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { BUILT_FROM, hashOfSource } from '../bin/source-hash.mjs';
import { leanBundle, withoutPlayground, withoutService } from './lean-bundle.ts';
import { writeKnowledge } from './write-knowledge.ts';

const outdir = 'dist';
// What changes while it is built must not pass for built.
const builtFrom = hashOfSource('.');
rmSync(outdir, { recursive: true, force: true });
const usual = {
  bundle: true,
  platform: 'node',
  target: 'node26',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
} as const;
// One script, of which src/start-bundle.ts keeps the compiled functions. A module in it runs when it is first asked for, so
// that `oom diagnose` runs none of Slack's and Kubernetes' libraries.
// `oom serve` has one of its own: what only it needs would take a third of each start of the terminal.
const [service, terminal] = await Promise.all([
  buildBundle('service', [withoutPlayground]),
  buildBundle('terminal', [leanBundle, withoutService, withoutPlayground]),
]);
const playground = await build({
  ...usual,
  entryPoints: { playground: 'src/playground/demo.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  format: 'esm',
});
const start = await build({
  ...usual,
  entryPoints: { oom: 'src/start-bundle.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  format: 'esm',
  define: { SERVICE: JSON.stringify(basename(service.path)), TERMINAL: JSON.stringify(basename(terminal.path)) },
});

const packages = new Set(
  Object.keys({ ...service.inputs, ...playground.metafile.inputs }).flatMap(
    (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? [],
  ),
);
writeFileSync(`${outdir}/THIRD-PARTY-NOTICES.txt`, [...packages].sort().map(notice).join('\n\n'));
await writeKnowledge(outdir);
writeFileSync(`${outdir}/${BUILT_FROM}`, builtFrom);

const outputs = [
  service.path,
  terminal.path,
  ...Object.keys(start.metafile.outputs),
  ...Object.keys(playground.metafile.outputs),
];
const size = outputs.reduce((sum, path) => sum + statSync(path).size, 0);
console.log(`${outdir}: ${outputs.length} files, ${(size / 1024 / 1024).toFixed(1)} MiB, ${packages.size} packages`);

async function buildBundle(name: string, plugins: readonly Plugin[]) {
  const { metafile } = await build({
    ...usual,
    entryPoints: { [name]: 'src/commands/main.ts' },
    outdir,
    entryNames: '[name]-[hash]',
    outExtension: { '.js': '.cjs' },
    format: 'cjs',
    // In a script of `node:vm`, `import()` prints a warning about an experiment; `require` loads modules as well.
    supported: { 'dynamic-import': false },
    define: { 'import.meta.url': 'BUNDLE_URL' },
    plugins: [...plugins],
  });
  const [path = ''] = Object.keys(metafile.outputs);
  return { path, inputs: metafile.inputs };
}

function notice(name: string): string {
  const folder = `node_modules/${name}`;
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version?: string; license?: string };
  const files = readdirSync(folder).filter((file) => /^(?:un)?licen[cs]e|^copying|^notice/i.test(file));
  const texts = files.map((file) => readText(`${folder}/${file}`)).filter((text) => text !== undefined);
  // Some packages name a license and leave out its text, which is the same everywhere.
  const standard = manifest.license === 'Apache-2.0' ? 'LICENSE' : `config/licenses/${manifest.license}.txt`;
  if (texts.length === 0) texts.push(...[readText(standard)].filter((text) => text !== undefined));
  if (texts.length === 0) throw new Error(`${name} has no license text: add it to the notices before it is bundled`);
  return `${name} ${manifest.version ?? ''} (${manifest.license ?? 'see its sources'})\n${texts.join('\n\n')}`.trim();
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
