import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import { readFolder } from '../src/folder/read-folder.ts';
import { loadKnowledge } from '../src/wire/knowledge.ts';
import { playbookDirs } from '../src/wire/playbook-dirs.ts';
import { type CaseProblem, judgeCase, readExpected } from './corpus/cases.ts';
import { drawMiss, drawTable } from './corpus/draw.ts';
import { raisedByLess } from './corpus/less-evidence.ts';
import { belowLimits } from './corpus/limits.ts';
import { readTruth, type Scored, score } from './corpus/score.ts';

const USAGE = `npm run corpus [-- DIR...] [--all] [--facts]

Runs the diagnosis over labelled incidents and over small inputs with an expected answer, and fails where too many are
wrong. Without DIR: ../shared/corpus, ../shared/cases and ../shared/real.
--all    prints the misses of both halves; without it only those of half A, the one that rules may be tuned on
--facts  prints the facts of each miss as well`;

const SHARED = join(import.meta.dirname, '..', '..', 'shared');

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    facts: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) console.log(USAGE);
else
  await measure(positionals.length > 0 ? positionals : ['corpus', 'cases', 'real'].map((name) => join(SHARED, name)));

async function measure(roots: readonly string[]): Promise<void> {
  const folders = (await Promise.all(roots.map(foldersIn))).flat();
  const { scored, cases } = await diagnoseAll(folders);
  const wrong = cases.filter(({ problems }) => problems.length > 0);
  if (scored.length > 0) drawIncidents(scored);
  if (cases.length > 0) drawCases(wrong, cases.length);
  if (scored.length + cases.length === 0) console.log(`Nothing labelled in ${roots.join(', ')}: nothing measured.`);
  const missed = [
    ...belowLimits(scored),
    ...(wrong.length > 0 ? [`${wrong.length} small inputs are not as expected`] : []),
  ];
  for (const line of missed) console.error(`below the limit: ${line}`);
  if (missed.length > 0) process.exitCode = 1;
}

type JudgedCase = { readonly name: string; readonly problems: readonly CaseProblem[] };

// A folder with neither label nor expectation is a snapshot of one's own.
async function diagnoseAll(folders: readonly string[]): Promise<{ scored: Scored[]; cases: JudgedCase[] }> {
  const knowledge = await loadKnowledge(playbookDirs([]));
  const scored: Scored[] = [];
  const cases: JudgedCase[] = [];
  for (const folder of folders) {
    const truth = await readTruth(folder);
    const expected = await readExpected(folder);
    if (truth === undefined && expected === undefined) continue;
    const source = await readFolder(folder);
    const diagnosed = await knowledge.diagnose(source);
    if (truth !== undefined) scored.push(score({ truth, ...diagnosed }));
    if (expected === undefined) continue;
    const raised = await raisedByLess(source, knowledge.diagnose);
    const problems = [...judgeCase(expected, diagnosed), ...raised.map((says) => ({ kind: 'raised' as const, says }))];
    cases.push({ name: basename(folder), problems });
  }
  return { scored, cases };
}

function drawCases(wrong: readonly JudgedCase[], all: number): void {
  for (const { name, problems } of wrong) console.log([name, ...problems.map(({ says }) => `  ${says}`)].join('\n'));
  console.log(`${all - wrong.length} of ${all} small inputs as expected`);
}

function drawIncidents(scored: readonly Scored[]): void {
  for (const one of scored.filter(({ half, right }) => !right && (values.all || half === 'A'))) {
    console.log(drawMiss(one, values));
  }
  const groups: readonly (readonly [string, readonly Scored[]])[] = [
    ['all', scored],
    ['engine begins with vllm', scored.filter(({ engine }) => engine.startsWith('vllm'))],
    ['half A', scored.filter(({ half }) => half === 'A')],
    ['half B', scored.filter(({ half }) => half === 'B')],
    ['certain', scored.filter(({ certain }) => certain)],
    ['certain of the cause', scored.filter(({ diagnosis }) => diagnosis.verdict.causeCertain)],
  ];
  console.log(`${drawTable(groups)}\n`);
}

async function foldersIn(root: string): Promise<readonly string[]> {
  if (!(await isDirectory(root))) {
    console.log(`No directory ${root}: nothing measured there.`);
    return [];
  }
  const paths = (await readdir(root)).toSorted().map((name) => join(root, name));
  const folders = await Promise.all(paths.map(isDirectory));
  return paths.filter((_path, at) => folders[at]);
}

async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}
