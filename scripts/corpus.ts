import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFolder } from '../src/folder/read-folder.ts';
import { loadKnowledge, playbookDirs } from '../src/wire/knowledge.ts';
import { drawMiss, drawTable } from './corpus/draw.ts';
import { type Labelled, type Scored, score, Truth } from './corpus/score.ts';

const USAGE = `npm run corpus -- DIR [--all] [--facts]

Runs the diagnosis over a folder of labelled incidents and compares it with their labels.
--all    prints the misses of both halves; without it only those of half A, the one that rules may be tuned on
--facts  prints the facts of each miss as well`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    facts: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [directory] = positionals;
if (values.help) {
  console.log(USAGE);
} else if (directory === undefined) {
  console.log(`${USAGE}\n\nNo directory given, nothing measured.`);
} else if (!(await isDirectory(directory))) {
  console.log(`No directory ${directory}, nothing measured.`);
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
  if (scored.length === 0) {
    console.log(`No labelled incident in ${root} (folders with a label in their incident.json), nothing measured.`);
    return;
  }
  for (const one of scored.filter(({ half, right }) => !right && (options.all || half === 'A'))) {
    console.log(drawMiss(one, options));
  }
  const groups: readonly (readonly [string, readonly Scored[]])[] = [
    ['all', scored],
    ['engine begins with vllm', scored.filter(({ engine }) => engine.startsWith('vllm'))],
    ['half A', scored.filter(({ half }) => half === 'A')],
    ['half B', scored.filter(({ half }) => half === 'B')],
    ['certain', scored.filter(({ certain }) => certain)],
    ['certain of the cause', scored.filter(({ diagnosis }) => diagnosis.verdict.causeCertain)],
  ];
  console.log(drawTable(groups));
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

async function incidentFolders(root: string): Promise<readonly string[]> {
  const names = (await readdir(root)).toSorted();
  const paths = names.map((name) => join(root, name));
  const folders = await Promise.all(paths.map(isDirectory));
  return paths.filter((_path, at) => folders[at]);
}

// A folder without a label is a snapshot of one's own, nothing to compare with.
async function readTruth(folder: string): Promise<Truth | undefined> {
  try {
    return Truth.parse(JSON.parse(await readFile(join(folder, 'incident.json'), 'utf8')));
  } catch {
    return undefined;
  }
}
