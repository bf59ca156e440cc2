import type { SnapshotSource } from '../app/ports.ts';
import { OomError } from '../model/errors.ts';
import type { Facts } from '../model/fact.ts';
import { PLAYBOOK_PATHS } from '../model/playbook-paths.ts';
import type { Diagnosis } from '../model/verdict.ts';
import { type Case, type FileChange, readCases } from '../playbook/cases-format.ts';
import { type Compiled, compilePlaybook } from '../playbook/compile.ts';
import type { Catalogues } from '../playbook/compiled.ts';
import { explain } from '../playbook/explain.ts';
import { drawGraph } from '../playbook/graph.ts';
import { lintCases, lintFiles } from '../playbook/lint-files.ts';
import { lintPlaybook } from '../playbook/lint-playbook.ts';
import { lintSignatures } from '../playbook/lint-signatures.ts';
import { filesInForce, mergePlaybookFiles, type PlaybookSource } from '../playbook/merge.ts';
import type { Problem } from '../playbook/problem.ts';
import { type CasesReport, runCases } from '../playbook/run-cases.ts';
import { parseSignatures } from '../playbook/signatures.ts';
import { readProfiles } from '../wire/profiles.ts';
import { takeTables } from '../wire/reference-tables.ts';
import { coverageLines, problemLines, resultLines, shippedNote, undecidedLines } from './playbook-lines.ts';
import { EXIT, type Terminal } from './terminal.ts';

export type PlaybookCommandDeps = {
  readonly terminal: Terminal;
  readonly catalogues: Catalogues;
  /** The YAML files of the playbook directories, the shipped one first. */
  readonly readFiles: () => Promise<readonly PlaybookSource[]>;
};

type Loaded = {
  readonly sources: readonly PlaybookSource[];
  /** What is wrong in the tables; the other files are then judged by the last sound ones. */
  readonly tableProblems: readonly Problem[];
  readonly compiled: Compiled;
  readonly cases: readonly Case[];
  readonly caseProblems: readonly Problem[];
  readonly incidents: readonly string[];
  /** Whether folders override the built-in one, and the playbook comes from one of them. */
  readonly hasOwn: boolean;
  readonly isOwnPlaybook: boolean;
  readonly isShipped: (file: string) => boolean;
};

async function load({ readFiles, catalogues }: PlaybookCommandDeps): Promise<Loaded> {
  const sources = await readFiles();
  const tables = takeTables(sources);
  const shipped = sources[0]?.root;
  const isShipped = (file: string) => shipped !== undefined && file.startsWith(`${shipped.replace(/\/+$/, '')}/`);
  const own = {
    sources,
    tableProblems: tables.kind === 'refused' ? tables.problems : [],
    hasOwn: sources.some(({ root }) => root !== shipped),
    isOwnPlaybook: false,
    isShipped,
  };
  const merged = mergePlaybookFiles(sources);
  if (merged.kind === 'missing') {
    return { ...own, compiled: { kind: 'bad', problems: merged.problems }, cases: [], caseProblems: [], incidents: [] };
  }
  const { parts, cases, incidents } = merged.files;
  const read = cases.map((file) => readCases(file, catalogues));
  return {
    ...own,
    isOwnPlaybook: !isShipped(parts[0]?.path ?? ''),
    compiled: compilePlaybook(parts, catalogues),
    cases: read.flatMap((part) => part.cases),
    caseProblems: read.flatMap((part) => part.problems),
    incidents,
  };
}

function problemsOf({ compiled, caseProblems }: Loaded): readonly Problem[] {
  return [...(compiled.kind === 'bad' ? compiled.problems : compiled.warnings), ...caseProblems];
}

/** `oom playbook lint`: playbook, cases, signatures and profiles by their formats. 0 if nothing is wrong, else 1. */
export async function playbookLint(deps: PlaybookCommandDeps): Promise<number> {
  const { out, paint } = deps.terminal;
  const loaded = await load(deps);
  const problems = [...loaded.tableProblems, ...problemsOf(loaded), ...lintProblems(loaded)];
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

function lintProblems({ sources, compiled, cases }: Loaded): readonly Problem[] {
  const profiles = readProfiles(sources);
  const files = filesInForce(sources, PLAYBOOK_PATHS.signatures).map((file) => ({ ...file, isChecked: false }));
  const signatures = parseSignatures(files);
  return [
    ...lintFiles(sources),
    ...(compiled.kind === 'sound' ? lintPlaybook(compiled.linted) : []),
    ...lintCases(cases),
    ...signatures.problems,
    ...lintSignatures(signatures.entries),
    ...(profiles.kind === 'refused' ? profiles.problems : []),
  ];
}

export type PlaybookTestDeps = PlaybookCommandDeps & {
  /** The facts of the first of these folders that exists, with its files changed; throws `no-folder` where none does. */
  readonly readIncident: (folders: readonly string[], change: readonly FileChange[]) => Promise<Facts>;
  readonly diagnose: (source: SnapshotSource) => Promise<Diagnosis>;
};

export type PlaybookTestOptions = {
  /** Also fail where a branch lacks one of its four kinds of case. */
  readonly strict?: boolean;
  /** Print how many cases of each kind every branch has. */
  readonly verbose?: boolean;
  /** Leave the shipped cases out, and what they are to cover. */
  readonly own?: boolean;
};

/** `oom playbook test`: what does not hold, what is missing, and the sum. 1 if a case fails, the line of a signature that decides does not, a branch is not taken or a finding not reached; with `strict` also where a branch lacks one of its four kinds. */
export async function playbookTest(deps: PlaybookTestDeps, options: PlaybookTestOptions = {}): Promise<number> {
  const { out, paint } = deps.terminal;
  const loaded = await load(deps);
  const { compiled, incidents } = loaded;
  const problems = problemsOf(loaded);
  for (const line of problemLines(problems, paint)) out(line);
  if (compiled.kind === 'bad' || problems.length > 0) return EXIT.failed;
  if (options.own && !loaded.hasOwn) throw noOwnFolder();
  const { results, coverage } = await runCases({
    playbook: compiled.playbook,
    cases: options.own ? loaded.cases.filter(({ file }) => !loaded.isShipped(file)) : loaded.cases,
    readIncident: (name, change) =>
      deps.readIncident(
        incidents.map((folder) => `${folder}/${name}`),
        change,
      ),
  });
  const lines = await undecidedLines(
    parseSignatures(filesInForce(loaded.sources, PLAYBOOK_PATHS.signatures)).entries.filter(
      ({ at }) => !options.own || !loaded.isShipped(at.path),
    ),
    async (source) => (await deps.diagnose(source)).verdict,
  );
  for (const line of problemLines(lines, paint)) out(line);
  const code = tellResults(deps.terminal, { loaded, results, coverage, options });
  return lines.length > 0 ? EXIT.failed : code;
}

type Tested = CasesReport & { readonly loaded: Loaded; readonly options: PlaybookTestOptions };

function tellResults({ out, paint, width }: Terminal, { loaded, results, coverage, options }: Tested): number {
  const { strict = false, verbose = false, own = false } = options;
  const failed = results.filter(({ differences }) => differences.length > 0);
  for (const line of resultLines(failed, paint)) out(line);
  // The shipped playbook is covered by the shipped cases.
  const isCovered = own && !loaded.isOwnPlaybook;
  if (!isCovered) for (const line of coverageLines(coverage, { paint, width, strict, verbose })) out(line);
  const note = shippedNote(failed.filter((result) => loaded.isShipped(result.case.file)).length);
  if (loaded.hasOwn && note !== undefined) out(paint.yellow(note));
  const open = coverage.untaken().length + coverage.unreached().length + (strict ? coverage.gaps().length : 0);
  const isGood = failed.length === 0 && (isCovered || open === 0);
  const sum = `${results.length - failed.length} passed, ${failed.length} failed`;
  out(isGood ? paint.green(sum) : paint.red(sum));
  return isGood ? EXIT.ok : EXIT.failed;
}

function noOwnFolder(): OomError {
  return new OomError('bad-input', '--own needs a playbook folder of yours, and none is configured.', {
    next: 'Add `--dir <folder>`, or set `playbooks.dirs` in the config.',
  });
}

/** `oom playbook explain DIR`: each condition that was asked of a snapshot, with the value seen. */
export function playbookExplain(terminal: Terminal, diagnosis: Diagnosis): number {
  for (const line of explain(diagnosis, terminal.paint)) terminal.out(line);
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
