import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFolder } from '../src/folder/read-folder.ts';
import { loadKnowledge, playbookDirs } from '../src/wire/knowledge.ts';
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
  const knowledge = await loadKnowledge(playbookDirs([]));
  const scored: Scored[] = [];
  for (const folder of await incidentFolders(root)) {
    const truth = await readTruth(folder);
    if (truth === undefined) continue;
    const { diagnosis, facts } = await knowledge.diagnose(await readFolder(folder));
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
