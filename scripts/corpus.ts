import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ACTION_CATALOGUE } from '../src/actions/catalogue.ts';
import { diagnoseSource } from '../src/app/diagnose.ts';
import { FACT_CATALOGUE } from '../src/facts/catalogue.ts';
import { compilePhrases } from '../src/facts/scan/compile.ts';
import { readFolder } from '../src/folder/read-folder.ts';
import { compilePlaybook } from '../src/playbook/compile.ts';
import { diagnose } from '../src/playbook/diagnose.ts';
import { parsePhrases } from '../src/playbook/phrases.ts';
import { drawMiss, drawTable } from './corpus/draw.ts';
import { type Labelled, type Scored, score, Truth } from './corpus/score.ts';

const USAGE = `npm run corpus -- DIR [--all]

Runs the diagnosis over a folder of labelled incidents and compares it with their labels.
--all  prints the misses of both halves; without it only those of half A, the one that rules may be tuned on.`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { all: { type: 'boolean', default: false }, facts: { type: 'boolean', default: false } },
});
const [directory] = positionals;
if (directory === undefined) {
  console.log(`${USAGE}\n\nNo directory given, nothing measured.`);
} else {
  await measure(directory, values);
}

async function measure(root: string, options: { all: boolean; facts: boolean }): Promise<void> {
  const deps = await loadRules();
  const scored: Scored[] = [];
  for (const folder of await incidentFolders(root)) {
    const truth = await readTruth(folder);
    if (truth === undefined) continue;
    const { diagnosis, facts } = await diagnoseSource(await readFolder(folder), deps);
    const labelled: Labelled = { truth, diagnosis, facts };
    scored.push(score(labelled));
  }
  for (const one of scored.filter(({ half, right }) => !right && (options.all || half === 'A'))) {
    console.log(drawMiss(one, options));
  }
  const groups: readonly (readonly [string, readonly Scored[]])[] = [
    ['all', scored],
    ['engine begins with vllm', scored.filter(({ engine }) => engine.startsWith('vllm'))],
    ['half A', scored.filter(({ half }) => half === 'A')],
    ['half B', scored.filter(({ half }) => half === 'B')],
  ];
  console.log(drawTable(groups));
}

async function loadRules() {
  const folder = new URL('../playbooks/', import.meta.url);
  const phrases = parsePhrases(await readFile(new URL('phrases.yaml', folder), 'utf8'), 'phrases.yaml');
  const text = await readFile(new URL('oom/playbook.yaml', folder), 'utf8');
  const catalogues = { facts: FACT_CATALOGUE, actions: ACTION_CATALOGUE };
  const compiled = compilePlaybook({ path: 'oom/playbook.yaml', text }, catalogues);
  const problems = [...phrases.problems, ...(compiled.kind === 'bad' ? compiled.problems : [])];
  for (const { file, line, message } of problems) console.error(`${file}:${line}: ${message}`);
  if (compiled.kind === 'bad') throw new Error('the playbook is not sound');
  const { playbook } = compiled;
  return {
    phrases: compilePhrases(phrases.phrases),
    judge: (facts: Parameters<typeof diagnose>[1], id: string) => diagnose(playbook, facts, id),
  };
}

async function incidentFolders(root: string): Promise<readonly string[]> {
  const names = (await readdir(root)).toSorted();
  const folders = await Promise.all(
    names.map(async (name) => ((await stat(join(root, name))).isDirectory() ? join(root, name) : undefined)),
  );
  return folders.filter((folder) => folder !== undefined);
}

// A folder without a label is a snapshot of one's own, nothing to compare with.
async function readTruth(folder: string): Promise<Truth | undefined> {
  try {
    return Truth.parse(JSON.parse(await readFile(join(folder, 'incident.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
