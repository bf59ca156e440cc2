import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { StartRecord } from '../src/model/start-record.ts';
import { loadKnowledge } from '../src/wire/knowledge.ts';
import { playbookDirs } from '../src/wire/playbook-dirs.ts';
import { compareCaches, isCacheRow } from './calibrate/caches.ts';
import { compareStarts, drawClasses, drawMisses, startsBelowLimits } from './calibrate/starts.ts';

const USAGE = `npm run calibrate -- FILE... [--all]

Compares the memory budget with what engines printed at their start, class by class, and fails where it is too far off.
FILE: one JSON object per line, either a start (docs/budget.md) or a KV cache that an engine computed itself.
Without FILE: ../shared/facts/engine-starts.jsonl and kv-oracle.jsonl.
--all   prints every start with its error`;

const FACTS = join(import.meta.dirname, '..', '..', 'shared', 'facts');
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, help: { type: 'boolean', short: 'h', default: false } },
});

if (values.help) console.log(USAGE);
else
  await measure(
    positionals.length > 0 ? positionals : ['engine-starts.jsonl', 'kv-oracle.jsonl'].map((name) => join(FACTS, name)),
  );

async function measure(paths: readonly string[]): Promise<void> {
  await loadKnowledge(playbookDirs([]));
  const missed: string[] = [];
  for (const path of paths) {
    const rows = await readLines(path);
    const caches = rows.filter(isCacheRow);
    if (caches.length > 0) {
      const { says, wrong } = compareCaches(caches, await modelsNextTo(path));
      console.log(says);
      missed.push(...wrong);
    }
    const starts = rows.filter((row) => !isCacheRow(row)).map((row) => StartRecord.parse(row));
    if (starts.length === 0) continue;
    const compared = compareStarts(starts);
    if (values.all) console.log(drawMisses(compared));
    console.log(drawClasses(compared));
    missed.push(...startsBelowLimits(compared));
  }
  for (const line of missed) console.error(`below the limit: ${line}`);
  if (missed.length > 0) process.exitCode = 1;
}

async function readLines(path: string): Promise<readonly unknown[]> {
  const text = await readFile(path, 'utf8');
  return text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [JSON.parse(line) as unknown]));
}

// `kv-oracle.jsonl` has the config.json of its models in `kv-oracle-models.json`.
async function modelsNextTo(path: string): Promise<Readonly<Record<string, { config?: unknown }>>> {
  const file = join(path, '..', `${basename(path, '.jsonl')}-models.json`);
  return existsSync(file) ? JSON.parse(await readFile(file, 'utf8')) : {};
}
