import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { BUILT_FROM, hashOfSource } from '../bin/source-hash.mjs';
import { readPlaybookFiles } from '../src/folder/playbook-files.ts';
import { PLAYBOOK_PATHS } from '../src/model/playbook-paths.ts';
import { loadPlaybook } from '../src/playbook/holder.ts';
import { filesInForce } from '../src/playbook/merge.ts';
import { parsePhrases } from '../src/playbook/phrases.ts';
import { readYaml } from '../src/playbook/yaml-source.ts';
import { CATALOGUES } from '../src/wire/knowledge.ts';
import { hashOf, READ_BY_BUILD, type ReadByBuild } from '../src/wire/parsed-files.ts';
import { readProfiles } from '../src/wire/profiles.ts';
import { takeTables } from '../src/wire/reference-tables.ts';

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
writeFileSync(`${outdir}/${READ_BY_BUILD}`, JSON.stringify(await readBuiltIn()));
writeFileSync(`${outdir}/${BUILT_FROM}`, builtFrom);

const size = Object.keys(result.metafile.outputs).reduce((sum, path) => sum + statSync(path).size, 0);
console.log(
  `${outdir}: ${Object.keys(result.metafile.outputs).length} files, ${(size / 1024 / 1024).toFixed(1)} MiB, ${packages.size} packages`,
);

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

/** What every built-in file but the cases holds; all of them are sound. */
async function readBuiltIn(): Promise<ReadByBuild> {
  const files = (await readPlaybookFiles(['playbooks'])).filter(({ path }) => !PLAYBOOK_PATHS.cases.test(path));
  // Profiles and the playbook are judged by the tables.
  const tables = takeTables(files);
  const profiles = readProfiles(files);
  const playbook = loadPlaybook(files, CATALOGUES);
  const [problem] = [
    ...(tables.kind === 'refused' ? tables.problems : []),
    ...parsePhrases(filesInForce(files, PLAYBOOK_PATHS.signatures)).problems,
    ...(profiles.kind === 'refused' ? profiles.problems : []),
    ...(playbook.kind === 'bad' ? playbook.problems : []),
  ];
  if (problem !== undefined) throw new Error(`${problem.file}:${problem.line}: ${problem.message}`);
  return Object.fromEntries(
    files.flatMap((file) => {
      const source = readYaml(file);
      return source.kind === 'read' ? [[hashOf(file.text), source.value]] : [];
    }),
  );
}
