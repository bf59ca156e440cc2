import { z } from 'zod';
import type { Facts } from '../model/fact.ts';
import type { Diagnosis } from '../model/verdict.ts';
import { type Case, type FileChange, readCases } from '../playbook/cases-format.ts';
import { type Compiled, compilePlaybook } from '../playbook/compile.ts';
import type { Catalogues } from '../playbook/compiled.ts';
import { explain } from '../playbook/explain.ts';
import { drawGraph } from '../playbook/graph.ts';
import { playbookJsonSchema } from '../playbook/json-schema.ts';
import { mergePlaybookFiles, type PlaybookSource } from '../playbook/merge.ts';
import { parsePhrases } from '../playbook/phrases.ts';
import type { Problem } from '../playbook/problem.ts';
import { type ReadIncident, runCases } from '../playbook/run-cases.ts';
import { parseProfiles } from '../wire/profiles.ts';
import { coverageLines, problemLines, resultLines, table } from './playbook-lines.ts';
import { EXIT, type Terminal } from './terminal.ts';

export type PlaybookCommandDeps = {
  readonly terminal: Terminal;
  readonly catalogues: Catalogues;
  /** The YAML files of the playbook directories, the shipped one first. */
  readonly readFiles: () => Promise<readonly PlaybookSource[]>;
};

type Loaded = {
  readonly compiled: Compiled;
  readonly cases: readonly Case[];
  readonly caseProblems: readonly Problem[];
  readonly incidents: readonly string[];
};

async function load({ readFiles, catalogues }: PlaybookCommandDeps): Promise<Loaded> {
  const merged = mergePlaybookFiles(await readFiles());
  if (merged.kind === 'missing') {
    return { compiled: { kind: 'bad', problems: merged.problems }, cases: [], caseProblems: [], incidents: [] };
  }
  const { playbook, cases, incidents } = merged.files;
  const read = cases.map((file) => readCases(file, catalogues));
  return {
    compiled: compilePlaybook(playbook, catalogues),
    cases: read.flatMap((part) => part.cases),
    caseProblems: read.flatMap((part) => part.problems),
    incidents,
  };
}

function problemsOf({ compiled, caseProblems }: Loaded): readonly Problem[] {
  return [...(compiled.kind === 'bad' ? compiled.problems : compiled.warnings), ...caseProblems];
}

/** `oom playbook lint`: playbook, cases, phrases and profiles by their formats. 0 if nothing is wrong, else 1. */
export async function playbookLint(deps: PlaybookCommandDeps): Promise<number> {
  const { out, paint } = deps.terminal;
  const loaded = await load(deps);
  const problems = [...problemsOf(loaded), ...(await phraseProblems(deps)), ...(await profileProblems(deps))];
  for (const line of problemLines(problems, paint)) out(line);
  if (problems.length > 0) {
    out(paint.red(`${problems.length} ${problems.length === 1 ? 'problem' : 'problems'}`));
    return EXIT.failed;
  }
  if (loaded.compiled.kind === 'sound') {
    const { name, version, questions, findings } = loaded.compiled.playbook;
    const size = `${questions.length} questions, ${findings.length} findings, ${loaded.cases.length} cases`;
    out(`${paint.green('ok')}  playbook ${name}, version ${version}: ${size}`);
  }
  return EXIT.ok;
}

async function profileProblems({ readFiles }: PlaybookCommandDeps): Promise<readonly Problem[]> {
  const file = (await readFiles()).findLast(({ path }) => path === 'profiles.yaml');
  const parsed = file === undefined ? undefined : parseProfiles(file.text, `${file.root}/${file.path}`);
  if (parsed?.kind !== 'refused') return [];
  return parsed.problems.map((problem) => ({ ...problem, column: 1, severity: 'error' as const }));
}

async function phraseProblems({ readFiles }: PlaybookCommandDeps): Promise<readonly Problem[]> {
  const file = (await readFiles()).findLast(({ path }) => path === 'phrases.yaml');
  if (file === undefined) return [];
  const { problems } = parsePhrases(file.text, `${file.root}/${file.path}`);
  return problems.map((problem) => ({ column: 1, severity: 'error', ...problem }));
}

export type PlaybookTestDeps = PlaybookCommandDeps & {
  /** The facts of the first of these folders that exists, with its files changed; throws `no-folder` where none does. */
  readonly readIncident: (folders: readonly string[], change: readonly FileChange[]) => Promise<Facts>;
};

/** `oom playbook test`: all cases, then what they cover. 1 if a case fails, a branch is not taken or a finding not reached; with `strict` also where a branch lacks one of its four kinds. */
export async function playbookTest(deps: PlaybookTestDeps, { strict = false } = {}): Promise<number> {
  const { out, paint } = deps.terminal;
  const loaded = await load(deps);
  const { compiled, cases, incidents } = loaded;
  const problems = problemsOf(loaded);
  for (const line of problemLines(problems, paint)) out(line);
  if (compiled.kind === 'bad' || problems.length > 0) return EXIT.failed;
  const readIncident: ReadIncident = (name, change) =>
    deps.readIncident(
      incidents.map((folder) => `${folder}/${name}`),
      change,
    );
  const { results, coverage } = await runCases({ playbook: compiled.playbook, cases, readIncident });
  for (const line of resultLines(results, paint)) out(line);
  for (const line of coverageLines(coverage, { paint, strict })) out(line);
  const failed = results.filter(({ differences }) => differences.length > 0).length;
  const open = coverage.untaken().length + coverage.unreached().length + (strict ? coverage.gaps().length : 0);
  const sum = `${results.length - failed} passed, ${failed} failed`;
  out(failed + open === 0 ? paint.green(sum) : paint.red(sum));
  return failed + open === 0 ? EXIT.ok : EXIT.failed;
}

export type PlaybookExplainDeps = {
  readonly terminal: Terminal;
  readonly diagnose: (folder: string) => Promise<Diagnosis>;
};

/** `oom playbook explain DIR`: walks a saved snapshot and prints each condition with the value seen. */
export async function playbookExplain({ terminal, diagnose }: PlaybookExplainDeps, folder: string): Promise<number> {
  for (const line of explain(await diagnose(folder), terminal.paint)) terminal.out(line);
  return EXIT.ok;
}

/** `oom playbook graph`: the playbook as a Mermaid flow chart. */
export async function playbookGraph(deps: PlaybookCommandDeps): Promise<number> {
  const { compiled } = await load(deps);
  if (compiled.kind === 'bad') {
    for (const line of problemLines(compiled.problems, deps.terminal.paint)) deps.terminal.err(line);
    return EXIT.failed;
  }
  deps.terminal.out(drawGraph(compiled.playbook).trimEnd());
  return EXIT.ok;
}

type ListDeps = Pick<PlaybookCommandDeps, 'terminal' | 'catalogues'>;

/** `oom playbook facts [word]`: the facts a playbook may ask for; with a word those whose line holds it. */
export function playbookFacts({ terminal, catalogues }: ListDeps, word = ''): number {
  const wanted = word.toLowerCase();
  const rows = catalogues.facts
    .map(({ id, unit, says, values }) => [id, unit, values === undefined ? says : `${says}: ${values.join(', ')}`])
    .filter((row) => row.join(' ').toLowerCase().includes(wanted));
  for (const line of table(rows, terminal.paint)) terminal.out(line);
  if (rows.length === 0) terminal.err(`no fact with "${word}" in its name or its sentence`);
  return rows.length === 0 ? EXIT.failed : EXIT.ok;
}

/** `oom playbook actions`: the actions a finding may offer, with the keys that `with` takes. */
export function playbookActions({ terminal, catalogues }: ListDeps): number {
  const rows = catalogues.actions.map(({ id, says, parameters }) => {
    const keys = Object.keys(z.toJSONSchema(parameters).properties ?? {});
    return [id, keys.length === 0 ? '-' : keys.join(', '), says];
  });
  for (const line of table(rows, terminal.paint)) terminal.out(line);
  return EXIT.ok;
}

/** `oom playbook schema`: the JSON schema for editors; playbooks/playbook.schema.json is the same, formatted. */
export function playbookSchema({ terminal, catalogues }: ListDeps): number {
  terminal.out(JSON.stringify(playbookJsonSchema(catalogues), null, 2));
  return EXIT.ok;
}
