import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { BUILT_FROM, hashOfSource } from '../bin/source-hash.mjs';
import { readPlaybookFiles } from '../src/folder/playbook-files.ts';
import { parsePhrases } from '../src/playbook/phrases.ts';
import { readYaml } from '../src/playbook/yaml-source.ts';
import { parseProfiles } from '../src/wire/profiles.ts';
import { hashOf, READ_BY_BUILD, type ReadByBuild } from '../src/wire/read-by-build.ts';
import { readShippedTables } from '../src/wire/reference-tables.ts';

// One entry, split into chunks, so that `oom diagnose` never loads the Slack and Kubernetes libraries.
const outdir = 'dist';
// What changes while it is built must not pass for built.
const builtFrom = hashOfSource('.');
rmSync(outdir, { recursive: true, force: true });
const result = await build({
  entryPoints: { oom: 'src/cli.ts' },
  outdir,
  outExtension: { '.js': '.mjs' },
  chunkNames: 'chunk-[hash]',
  bundle: true,
  splitting: true,
  format: 'esm',
  platform: 'node',
  target: 'node26',
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  metafile: true,
  // CommonJS libraries in an ES module bundle still call require().
  banner: {
    js: "import { createRequire as oomRequire } from 'node:module'; const require = oomRequire(import.meta.url);",
  },
  logLevel: 'warning',
});

const packages = new Set(
  Object.keys(result.metafile.inputs).flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []),
);
writeFileSync(`${outdir}/THIRD-PARTY-NOTICES.txt`, [...packages].sort().map(notice).join('\n\n'));
const tables = readShippedTables(await readPlaybookFiles(['playbooks']));
const read = { ...tables, ...readShippedPhrases(), ...readShippedPlaybook(), ...readShippedProfiles() };
writeFileSync(`${outdir}/${READ_BY_BUILD}`, JSON.stringify(read));
writeFileSync(`${outdir}/${BUILT_FROM}`, builtFrom);

const size = Object.keys(result.metafile.outputs).reduce((sum, path) => sum + statSync(path).size, 0);
console.log(
  `${outdir}: ${Object.keys(result.metafile.outputs).length} files, ${(size / 1024 / 1024).toFixed(1)} MiB, ${packages.size} packages`,
);

function notice(name: string): string {
  const folder = `node_modules/${name}`;
  const manifest = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8')) as { version?: string; license?: string };
  const licence = ['LICENSE', 'LICENSE.md', 'license', 'LICENCE', 'LICENSE.txt', 'LICENSE-MIT']
    .map((file) => readText(`${folder}/${file}`))
    .find((text) => text !== undefined);
  return `${name} ${manifest.version ?? ''} (${manifest.license ?? 'see its sources'})\n${licence ?? ''}`.trim();
}

function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

function readShippedPhrases(): ReadByBuild {
  const path = 'playbooks/phrases.yaml';
  const text = readFileSync(path, 'utf8');
  const { phrases, problems } = parsePhrases(text, path);
  if (problems.length > 0) throw new Error(`${path}:${problems[0]?.line}: ${problems[0]?.message}`);
  return { [hashOf(text)]: phrases };
}

function readShippedPlaybook(): ReadByBuild {
  const path = 'playbooks/oom/playbook.yaml';
  const text = readFileSync(path, 'utf8');
  const source = readYaml({ path, text });
  if (source.kind === 'refused') throw new Error(`${path}:${source.problems[0]?.line}: ${source.problems[0]?.message}`);
  return { [hashOf(text)]: source.value };
}

function readShippedProfiles(): ReadByBuild {
  const path = 'playbooks/profiles.yaml';
  const text = readFileSync(path, 'utf8');
  const parsed = parseProfiles(text, path);
  if (parsed.kind === 'refused') throw new Error(`${path}:${parsed.problems[0]?.line}: ${parsed.problems[0]?.message}`);
  return { [hashOf(text)]: parsed.book };
}
